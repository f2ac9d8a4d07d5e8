// A real OpenID provider and a mock one, whose responses can be overridden, for the tests of
// generic OAuth providers.
import type { ServiceConfig } from 'svc-auth';
import { mockIdentityProvider, type MockIdentityProvider } from 'svc-auth/testing';
import { license } from '../support/make-pro-service.js';
import type { Overrides, TestService } from '../support/make-service.js';
import { startOidcServer, type OidcServer } from '../support/oidc-server.js';

export type OAuthConfig = NonNullable<NonNullable<ServiceConfig['providers']>['oauth']>;

export const redirectUri = 'http://localhost:3000/api/auth/oauth/acme/callback';

export let oidc: OidcServer;
export let idp: MockIdentityProvider;
let people = 0;

/** Starts both providers for the tests of a file. */
export function startProviders(): void {
  beforeAll(async () => {
    oidc = await startOidcServer(redirectUri);
    idp = await mockIdentityProvider({ redirectUri });
  });
  beforeEach(() => idp.override({}));
  afterAll(() => Promise.all([oidc.stop(), idp.close()]));
}

/** Creates an account at the mock provider. */
export function account(claims: object = {}): string {
  const subject = `subject-${(people += 1)}`;
  idp.accounts.set(subject, { ...claims });
  return subject;
}

/**
 * `acme` uses discovery, `plain` explicit endpoints; the `trusted` ones also link by verified
 * address.
 */
export function configured(): OAuthConfig {
  const acme = { ...idp.client, issuer: idp.issuer };
  const plain = { ...idp.client, ...idp.endpoints };
  const linking = 'verified-email' as const;
  return { acme, plain, trusted: { ...acme, linking }, 'trusted-plain': { ...plain, linking } };
}

export const withOAuth = (oauth: OAuthConfig = configured(), overrides: Overrides = {}): Overrides => ({
  ...license,
  ...overrides,
  providers: { ...overrides.providers, oauth },
});

/** The flow of an application that has its own routes. */
export async function codeFor({ service }: TestService, name: string, subject: string) {
  const { url, codeVerifier, state } = await service.oauth(name).getAuthUrl();
  const callback = await idp.signIn(url, subject);
  expect(callback.searchParams.get('state')).toBe(state);
  return { code: callback.searchParams.get('code')!, codeVerifier };
}

export async function signIn(test: TestService, name: string, subject: string, context = {}) {
  return test.service.oauth(name).handleCallback(await codeFor(test, name, subject), context);
}

/** The flow of a browser. */
export async function goThrough({ service }: TestService, name: string, subject: string, appState?: string) {
  const started = await service.oauth(name).startRedirect(appState);
  return { ...started, query: (await idp.signIn(started.url, subject)).searchParams };
}
