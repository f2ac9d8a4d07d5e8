/** The user's own API keys. */
import { auth } from '../auth.js';
import { get } from '../dom.js';
import { startKeys } from './keys.js';

export function startApiKeys(): void {
  const places = {
    list: get('key-list'),
    form: get<HTMLFormElement>('create-key'),
    banner: get('new-key'),
  };
  startKeys(places, { ...auth.apiKeys, scopes: ['notes:read'], example: '/api/v1/notes' });
}
