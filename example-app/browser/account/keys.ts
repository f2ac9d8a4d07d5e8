/** API keys of a user or an organization: lists, creates, shows once and revokes them. */
import type { AuthClient } from 'svc-auth/client';
import { day, el, say } from '../dom.js';
import { onClick, onSubmit } from '../forms.js';
import { liveList } from '../list.js';
import { again } from '../sign-in-again.js';

type OwnKeys = AuthClient['apiKeys'];

export interface Keys {
  list: OwnKeys['list'];
  create: OwnKeys['create'];
  remove: OwnKeys['remove'];
  /** Scopes of a new key. */
  scopes: string[];
  /** A route to try a new key with. */
  example: string;
}

export interface KeyPlaces {
  list: HTMLElement;
  form: HTMLFormElement;
  /** Shows a new key: a paragraph that takes the focus, a `<code>`, and two buttons that copy. */
  banner: HTMLElement;
}

export function startKeys({ list, form, banner }: KeyPlaces, keys: Keys): void {
  const refresh = liveList(
    list,
    async () => (await keys.list()).apiKeys.filter(({ revokedAt }) => revokedAt === null),
    ({ id, name, prefix, createdAt, lastUsedAt }) => {
      const revoke = el(
        'button',
        { type: 'button', class: 'quiet danger', 'data-busy': 'Revoking…' },
        'Revoke',
      );
      revoke.setAttribute('aria-label', `Revoke ${name}`);
      const question = {
        title: `Revoke ${name}?`,
        text: 'Programs that use this key stop working. This cannot be undone.',
        verb: 'Revoke key',
      };
      onClick(
        revoke,
        async () => {
          await again(() => keys.remove(id));
          await refresh();
          say('Key revoked.');
        },
        question,
      );
      const used = lastUsedAt ? el('span', {}, 'last used ', day(lastUsedAt)) : 'not used yet';
      const start = el('code', {}, `${prefix}…`);
      const about = el('span', { class: 'soft' }, start, ' · created ', day(createdAt), ' · ', used);
      return el('li', {}, el('p', {}, el('strong', {}, name), el('br'), about), revoke);
    },
  );
  onSubmit(form, async ({ name = '' }) => {
    const { key } = await again(() => keys.create({ name, scopes: keys.scopes }));
    showOnce(banner, key, `curl -H 'Authorization: Bearer ${key}' ${location.origin}${keys.example}`);
    form.reset();
    await refresh();
  });
  void refresh();
}

function showOnce(banner: HTMLElement, key: string, curl: string): void {
  banner.querySelector('code')!.textContent = key;
  const [copyKey, copyCurl] = banner.querySelectorAll<HTMLElement>('[data-copy]');
  copyKey!.dataset['copy'] = key;
  copyCurl!.dataset['copy'] = curl;
  banner.hidden = false;
  banner.querySelector('p')?.focus();
}
