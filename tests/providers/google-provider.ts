// A real OpenID provider in place of Google, for the tests of sign-in with Google.
import type { Overrides, TestService } from '../support/make-service.js';
import { startOidcServer, type OidcAccount, type OidcServer } from '../support/oidc-server.js';

export const redirectUri = 'http://localhost:3000/api/auth/google/callback';

export let oidc: OidcServer;
let people = 0;

/** Starts the provider for the tests of a file. */
export function startProvider(): void {
  beforeAll(async () => {
    oidc = await startOidcServer(redirectUri);
  });
  afterAll(() => oidc.stop());
}

/** An account at the provider. */
export function account(claims: OidcAccount): string {
  const subject = `subject-${(people += 1)}`;
  oidc.accounts.set(subject, claims);
  return subject;
}

export const withGoogle = (overrides: Overrides = {}): Overrides => ({
  ...overrides,
  providers: { google: oidc.client, ...overrides.providers },
});

/** The flow of a browser: start, the provider's pages, and the callback with its query. */
export async function goThrough({ service }: TestService, subject: string, appState?: string) {
  const started = await service.google.startRedirect(appState);
  const callback = await oidc.signIn(started.url, subject);
  return { ...started, callback, query: callback.searchParams };
}

export async function signIn(test: TestService, subject: string, context?: { sessionToken?: string }) {
  const { query, transaction } = await goThrough(test, subject);
  return test.service.google.finishRedirect(query, transaction, context);
}
