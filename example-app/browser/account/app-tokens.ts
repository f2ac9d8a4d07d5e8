/**
 * Refresh tokens as an app uses them: issued, renewed and revoked. The page keeps them in memory until the user leaves it; an
 * app stores them securely. The list shows every app that is signed in and can revoke its tokens.
 */
import type { TokenPair } from 'svc-auth/client';
import { auth } from '../auth.js';
import { day, el, get, say } from '../dom.js';
import { onClick, onSubmit } from '../forms.js';
import { liveList } from '../list.js';
import { again } from '../sign-in-again.js';

/** @returns a function that reloads the list. */
export function startAppTokens(): () => Promise<void> {
  let tokens: TokenPair | undefined;

  const refresh = liveList(
    get('app-token-list'),
    async () => (await auth.tokens.list()).families,
    ({ id, device, createdAt, lastUsedAt }) => {
      const name = device.name ?? 'Unnamed app';
      const revoke = el(
        'button',
        { type: 'button', class: 'quiet danger', 'data-busy': 'Revoking…' },
        'Revoke',
      );
      revoke.setAttribute('aria-label', `Revoke ${name}`);
      const question = {
        title: `Revoke ${name}?`,
        text: 'The app is signed out and must sign in again.',
        verb: 'Revoke tokens',
      };
      onClick(
        revoke,
        async () => {
          await auth.tokens.revoke(id);
          if (tokens?.familyId === id) show(undefined);
          await refresh();
          say('Tokens revoked.');
        },
        question,
      );
      const used = lastUsedAt ? el('span', {}, 'last used ', day(lastUsedAt, true)) : 'not used yet';
      const about = el('span', { class: 'soft' }, 'created ', day(createdAt), ' · ', used);
      return el('li', {}, el('p', {}, el('strong', {}, name), el('br'), about), revoke);
    },
  );

  function show(pair: TokenPair | undefined): void {
    tokens = pair;
    get('app-token').hidden = pair === undefined;
    if (!pair) return;
    const until = pair.accessExpiresAt.toLocaleTimeString([], { timeStyle: 'short' });
    get('app-token-until').replaceChildren('until ', el('strong', {}, until), ', unless renewed');
    get('copy-app-token').dataset['copy'] =
      `curl -H 'Authorization: Bearer ${pair.accessToken}' ${location.origin}/me`;
  }

  onSubmit(get<HTMLFormElement>('issue-app-token'), async ({ name = '' }) => {
    show(await again(() => auth.token.issue({ device: { name } })));
    get('app-token-name').textContent = name;
    get('app-token').querySelector('p')?.focus();
    get<HTMLFormElement>('issue-app-token').reset();
    await refresh();
  });
  onClick(get<HTMLButtonElement>('renew-app-token'), async () => {
    if (!tokens) return;
    // The previous refresh token is now invalid: a thief who uses it revokes the tokens of the app.
    show(await auth.token.refresh(tokens));
    await refresh();
    say('Tokens renewed.');
  });
  onClick(get<HTMLButtonElement>('end-app-token'), async () => {
    if (!tokens) return;
    await auth.token.revoke(tokens);
    show(undefined);
    await refresh();
    say('Tokens revoked.');
    get('app-name').focus();
  });
  void refresh();
  return refresh;
}
