/** API keys: made, shown once, ended. */
import { auth } from '../auth.js';
import { day, el, get, say } from '../dom.js';
import { onClick, onSubmit } from '../forms.js';
import { liveList } from '../list.js';
import { again } from '../sign-in-again.js';

export function startApiKeys(): void {
  const refresh = liveList(
    'key-list',
    async () => (await auth.apiKeys.list()).apiKeys.filter(({ revokedAt }) => revokedAt === null),
    ({ id, name, prefix, createdAt, lastUsedAt }) => {
      const revoke = el('button', { type: 'button', class: 'quiet danger', 'data-busy': 'Ending…' }, 'End');
      revoke.setAttribute('aria-label', `End ${name}`);
      onClick(revoke, async () => {
        await again(() => auth.apiKeys.remove(id));
        await refresh();
        say('The key is worth nothing now.');
      });
      const used = lastUsedAt ? el('span', {}, 'last used ', day(lastUsedAt)) : 'not used yet';
      const about = el(
        'span',
        { class: 'soft' },
        el('code', {}, `${prefix}…`),
        ' · made ',
        day(createdAt),
        ' · ',
        used,
      );
      return el('li', {}, el('p', {}, el('strong', {}, name), el('br'), about), revoke);
    },
  );
  onSubmit(get<HTMLFormElement>('create-key'), async ({ name = '' }) => {
    const { key } = await again(() => auth.apiKeys.create({ name, scopes: ['notes:read'] }));
    get('key-itself').textContent = key;
    get('copy-key').dataset['copy'] = key;
    get('copy-curl').dataset['copy'] =
      `curl -H 'Authorization: Bearer ${key}' ${location.origin}/api/v1/notes`;
    get('new-key').hidden = false;
    get('new-key').querySelector('p')?.focus();
    get<HTMLFormElement>('create-key').reset();
    await refresh();
  });
  void refresh();
}
