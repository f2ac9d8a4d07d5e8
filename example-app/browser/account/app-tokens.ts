/** Refresh tokens, as an app uses them: issued, renewed, ended. The page forgets them when it is left; an app keeps them safe. */
import type { TokenPair } from 'svc-auth/client';
import { auth } from '../auth.js';
import { el, get, say } from '../dom.js';
import { onClick, onSubmit } from '../forms.js';
import { again } from '../sign-in-again.js';

export function startAppTokens(): void {
  let tokens: TokenPair | undefined;

  function show(pair: TokenPair | undefined): void {
    tokens = pair;
    get('app-token').hidden = pair === undefined;
    if (!pair) return;
    const until = pair.accessExpiresAt.toLocaleTimeString([], { timeStyle: 'short' });
    get('app-token-until').replaceChildren('until ', el('strong', {}, until), ', unless it renews');
    get('copy-app-token').dataset['copy'] =
      `curl -H 'Authorization: Bearer ${pair.accessToken}' ${location.origin}/me`;
  }

  onSubmit(get<HTMLFormElement>('issue-app-token'), async ({ name = '' }) => {
    show(await again(() => auth.token.issue({ device: { name } })));
    get('app-token-name').textContent = name;
    get('app-token').querySelector('p')?.focus();
    get<HTMLFormElement>('issue-app-token').reset();
  });
  onClick(get<HTMLButtonElement>('renew-app-token'), async () => {
    if (!tokens) return;
    // The one before is worth nothing from here on: whoever stole it ends the app's sign-in by using it.
    show(await auth.token.refresh(tokens));
    say('The app has new tokens.');
  });
  onClick(get<HTMLButtonElement>('end-app-token'), async () => {
    if (!tokens) return;
    await auth.token.revoke(tokens);
    show(undefined);
    say('The app is signed out.');
    get('app-name').focus();
  });
}
