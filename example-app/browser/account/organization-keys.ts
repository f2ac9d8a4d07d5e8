/** API keys of an organization. They remain valid after their creator leaves it. For admins and owners. */
import type { Org } from 'svc-auth/client';
import { auth } from '../auth.js';
import { el } from '../dom.js';
import { startKeys } from './keys.js';
import { emptyList, labeled, part } from './organization-parts.js';

export function keysOf(org: Org): HTMLElement {
  const { apiKeys } = auth.orgs;
  const places = {
    list: emptyList('No organization keys yet.'),
    form: keyForm(org),
    banner: keyBanner(),
  };
  startKeys(places, {
    list: () => apiKeys.list(org.id),
    create: (input) => apiKeys.create(org.id, input),
    remove: (id) => apiKeys.remove(org.id, id),
    scopes: ['organization:read'],
    example: '/api/v1/organization',
  });
  return part('API keys', org.name, places.list, places.banner, places.form);
}

/** The same banner as for the user's own keys: see ../../pages/account/api-keys.ts. */
function keyBanner(): HTMLElement {
  const copy = (text: string) => el('button', { type: 'button', class: 'plain', 'data-copy': '' }, text);
  return el(
    'div',
    { class: 'banner', hidden: true },
    el('p', { tabindex: '-1' }, el('strong', {}, 'Copy this key now.'), " It won't be shown again."),
    el('p', { class: 'row' }, el('code')),
    el('p', { class: 'row' }, copy('Copy key'), copy('Copy curl command')),
  );
}

function keyForm(org: Org): HTMLFormElement {
  const limits = { name: 'name', maxlength: '100', placeholder: 'Build server' };
  return el(
    'form',
    { class: 'inline' },
    ...labeled(`Key name for ${org.name}`, `key-${org.id}`, limits),
    el('p', { class: 'error', role: 'alert', 'data-message': true }),
    el(
      'button',
      { class: 'plain', 'data-busy': 'Creating…', 'aria-label': `Create key for ${org.name}` },
      'Create key',
    ),
  );
}
