// The OAuth callback: no mutation of its query or of the transaction cookie signs anyone in.
import fc from 'fast-check';
import { isWellFormed } from '../../../src/domain/storable-text.js';
import { mockIdentityProvider, type MockIdentityProvider } from 'svc-auth/testing';
import { license } from '../../support/make-pro-service.js';
import { makeService, type TestService } from '../../support/make-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import { anyMutations, anyText, anyValue, mutate } from './arbitraries.js';
import { itHolds } from './pass.js';

let idp: MockIdentityProvider;
let test: TestService;

beforeAll(async () => {
  idp = await mockIdentityProvider({
    redirectUri: 'https://app.test/api/auth/oauth/acme/callback',
    accounts: { ada: { email: 'ada@example.com', email_verified: true } },
  });
  const provider = { issuer: idp.issuer, ...idp.client };
  // All sign-ins are the same person, whose address every provider returns.
  const linked = { ...provider, linking: 'verified-email' as const };
  const oauth = { acme: linked, other: linked };
  test = await makeService({ ...license, providers: { google: provider, oauth } });
});

afterAll(async () => {
  await test.service.close();
  await idp.close();
});

const names = ['acme', 'other', 'google'] as const;
const providerOf = (name: (typeof names)[number]) =>
  name === 'google' ? test.service.google : test.service.oauth(name);

/** Starts a sign-in and returns the query that the browser brings back. */
async function startSignIn(name: (typeof names)[number]) {
  const { url, transaction } = await providerOf(name).startRedirect();
  return { transaction, query: (await idp.signIn(url, 'ada')).search.slice(1) };
}

const meaningOf = (query: string) => {
  const parameters = new URLSearchParams(query);
  return ['code', 'state', 'iss', 'error'].map((name) => parameters.getAll(name));
};

describe('OAuth callback', () => {
  itHolds(
    'accepts a callback only unchanged, with its own transaction, at the provider it was started at',
    () =>
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.constantFrom(...names),
        fc.option(anyMutations, { freq: 1 }),
        fc.option(anyMutations, { freq: 1 }),
        async (started, finished, inQuery, inCookie) => {
          const [own, another] = [await startSignIn(started), await startSignIn(started)];
          const query = mutate(own.query, inQuery ?? [], [another.query]);
          const transaction = mutate(own.transaction, inCookie ?? [], [another.transaction]);
          const isSame =
            started === finished &&
            transaction === own.transaction &&
            JSON.stringify(meaningOf(query)) === JSON.stringify(meaningOf(own.query));
          const outcome = await outcomeOf(() =>
            providerOf(finished).finishRedirect(new URLSearchParams(query), transaction, {}),
          );
          expect(outcome).toBe(isSame ? 'ok' : 'oauth_error');
          // A callback is accepted once.
          const again = () =>
            providerOf(started).finishRedirect(new URLSearchParams(own.query), own.transaction, {});
          if (isSame) expect(await outcomeOf(again)).toBe('oauth_error');
        },
      ),
    { runs: 60 },
  );

  itHolds('returns oauth_error for any other query and transaction', () =>
    fc.asyncProperty(
      fc.array(fc.tuple(fc.oneof(fc.constantFrom('code', 'state', 'iss', 'error'), anyText), anyText)),
      anyValue,
      async (pairs, cookie) => {
        const finish = () =>
          providerOf('acme').finishRedirect(new URLSearchParams(pairs), cookie as string, {});
        expect(await outcomeOf(finish)).toBe('oauth_error');
      },
    ),
  );

  itHolds(
    'returns the application state unchanged, for any state',
    () =>
      fc.asyncProperty(anyText, async (state) => {
        let started: { url: string; transaction: string } | undefined;
        const outcome = await outcomeOf(
          async () => (started = await providerOf('acme').startRedirect(state)),
        );
        const isShort = state.length <= 512 && Buffer.byteLength(JSON.stringify(state)) <= 2048;
        // A lone surrogate would come back as another character.
        expect(outcome).toBe(isShort && isWellFormed(state) ? 'ok' : 'invalid_request');
        if (!started) return;
        // With its attributes the transaction fits into a cookie.
        expect(started.transaction.length).toBeLessThan(4_000);
        const { searchParams } = await idp.signIn(started.url, 'ada');
        const { appState } = await providerOf('acme').finishRedirect(searchParams, started.transaction, {});
        expect(appState).toBe(state);
      }),
    { runs: 40 },
  );
});
