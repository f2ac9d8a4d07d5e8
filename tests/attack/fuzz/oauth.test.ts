// The way back from an identity provider: no change of the query or of the browser's cookie signs anybody in.
import fc from 'fast-check';
import { isWellFormed } from '../../../src/domain/storable-text.js';
import { mockIdentityProvider, type MockIdentityProvider } from 'svc-auth/testing';
import { license } from '../../support/make-pro-service.js';
import { makeService, type TestService } from '../../support/make-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import { anyMutations, anyText, anyValue, mutate } from './arbitraries.js';
import { holds } from './pass.js';

let idp: MockIdentityProvider;
let test: TestService;

beforeAll(async () => {
  idp = await mockIdentityProvider({
    redirectUri: 'https://app.test/api/auth/oauth/acme/callback',
    accounts: { ada: { email: 'ada@example.com', email_verified: true } },
  });
  const provider = { issuer: idp.issuer, ...idp.client };
  // Everybody here is one person, whose address every provider tells.
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

/** What somebody's browser comes back with. */
async function comeBack(name: (typeof names)[number]) {
  const { url, transaction } = await providerOf(name).startRedirect();
  return { transaction, query: (await idp.signIn(url, 'ada')).search.slice(1) };
}

const told = (query: string) => {
  const parameters = new URLSearchParams(query);
  return ['code', 'state', 'iss', 'error'].map((name) => parameters.getAll(name));
};

describe('The answer of an identity provider', () => {
  holds(
    'signs in as it is, in the browser that asked, at the provider that was asked, and not otherwise',
    () =>
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.constantFrom(...names),
        fc.option(anyMutations, { freq: 1 }),
        fc.option(anyMutations, { freq: 1 }),
        async (asked, answered, inQuery, inCookie) => {
          const [own, another] = [await comeBack(asked), await comeBack(asked)];
          const query = mutate(own.query, inQuery ?? [], [another.query]);
          const transaction = mutate(own.transaction, inCookie ?? [], [another.transaction]);
          const isSame =
            asked === answered &&
            transaction === own.transaction &&
            JSON.stringify(told(query)) === JSON.stringify(told(own.query));
          const outcome = await outcomeOf(() =>
            providerOf(answered).finishRedirect(new URLSearchParams(query), transaction, {}),
          );
          expect(outcome).toBe(isSame ? 'ok' : 'oauth_error');
          // Once, in any case.
          const again = () =>
            providerOf(asked).finishRedirect(new URLSearchParams(own.query), own.transaction, {});
          if (isSame) expect(await outcomeOf(again)).toBe('oauth_error');
        },
      ),
    { runs: 60 },
  );

  holds('that is anything at all is an oauth_error', () =>
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

  holds(
    'that was asked for with any state comes back with it',
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
        // With its attributes it fits into a cookie.
        expect(started.transaction.length).toBeLessThan(4_000);
        const { searchParams } = await idp.signIn(started.url, 'ada');
        const { appState } = await providerOf('acme').finishRedirect(searchParams, started.transaction, {});
        expect(appState).toBe(state);
      }),
    { runs: 40 },
  );
});
