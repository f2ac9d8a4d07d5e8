/** Accounts at identity providers, and phone numbers, that are linked to this account. */
import { auth } from '../auth.js';
import { day, el, get, say } from '../dom.js';
import { leaveFor, onClick, onSubmit } from '../forms.js';
import { liveList } from '../list.js';
import { again } from '../sign-in-again.js';

const names: Record<string, string> = { google: 'Google', orbit: 'Orbit', phone: 'Phone' };

export function startIdentities(): void {
  const refresh = liveList(
    get('identity-list'),
    async () => (await auth.identities.list()).identities,
    ({ id, provider, providerAccountId, createdAt }) => {
      const unlink = el(
        'button',
        { type: 'button', class: 'quiet danger', 'data-busy': 'Unlinking…' },
        'Unlink',
      );
      const name = names[provider] ?? provider;
      unlink.setAttribute('aria-label', `Unlink ${name}`);
      const question = {
        title: `Unlink ${name}?`,
        text: `You can no longer sign in with ${providerAccountId}.`,
        verb: 'Unlink account',
      };
      onClick(
        unlink,
        async () => {
          await again(() => auth.identities.remove(id));
          await refresh();
          say(`${name} unlinked.`);
        },
        question,
      );
      const since = el('span', { class: 'soft' }, `${providerAccountId} · linked `, day(createdAt));
      return el('li', {}, el('p', {}, el('strong', {}, name), el('br'), since), unlink);
    },
  );
  // The callback redirects the browser with this state: see pages.ts.
  const back = { state: 'linked' };
  onLink('link-google', () => auth.google.link(back));
  onLink('link-orbit', () => auth.oauth.link('orbit', back));
  void refresh();
}

function onLink(id: string, begin: () => Promise<{ url: string }>): void {
  onSubmit(get<HTMLFormElement>(id), async () => {
    const { url } = await again(begin);
    await leaveFor(url);
  });
}
