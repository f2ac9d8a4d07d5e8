// Sign-in with generic OAuth providers on every storage (docs/security-requirements.md T13, A-71,
// C-25).
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, invalidIds, proFixtures } from '../support/make-pro-service.js';
import type { Overrides } from '../support/make-service.js';
import { errorOf, runInSequence, outcomeOf, race } from '../support/outcomes.js';
import {
  account,
  codeFor,
  goThrough,
  idp,
  oidc,
  signIn,
  startProviders,
  withOAuth,
} from './oauth-providers.js';

const password = 'correct horse battery';

startProviders();

describeAdapters('Sign-in with OAuth providers', (on) => {
  const { uniqueEmail, adapter } = on;
  const { makePro, verifiedUser, unverifiedUser } = proFixtures(on);
  const make = (overrides?: Overrides) => makePro(withOAuth(undefined, overrides));
  const identitiesOf = (userId: string) => adapter().identities.listForUser(userId);
  const providersOf = async (userId: string) =>
    (await identitiesOf(userId)).map(({ provider }) => provider).sort();

  describe('a sign-in', () => {
    it('creates the user of a verified address at a real OpenID provider, and finds that user again', async () => {
      const test = await makePro(withOAuth({ acme: { ...oidc.client } }));
      const email = uniqueEmail();
      const subject = `real-${email}`;
      oidc.accounts.set(subject, {
        email,
        email_verified: true,
        name: 'Ada',
        picture: 'https://cdn.test/a.png',
      });
      const again = async () => {
        const { url, codeVerifier } = await test.service.oauth('acme').getAuthUrl();
        const code = (await oidc.signIn(url, subject)).searchParams.get('code')!;
        return test.service.oauth('acme').handleCallback({ code, codeVerifier });
      };
      const first = await again();
      expect(first).toMatchObject({
        created: true,
        user: { email, emailVerified: true, metadata: {} },
        profile: { id: subject, email, emailVerified: true, name: 'Ada', picture: 'https://cdn.test/a.png' },
        tokens: {
          accessToken: expect.any(String),
          idToken: expect.stringMatching(/^ey/),
          expiresAt: expect.any(Date),
        },
      });
      expect(await again()).toMatchObject({ created: false, user: first.user });
      expect(await identitiesOf(first.user.id)).toEqual([
        expect.objectContaining({ provider: 'acme', providerAccountId: subject, userId: first.user.id }),
      ]);
      const unknown = { givenName: null, familyName: null, locale: null };
      const profile = { name: 'Ada', picture: 'https://cdn.test/a.png', ...unknown };
      expect(await test.takeEvents()).toEqual(
        expect.arrayContaining([
          { name: 'user.created', payload: { userId: first.user.id, method: 'acme', profile } },
        ]),
      );
    });

    it('tolerates the ID token of a provider with explicit endpoints', async () => {
      const { issuer, ...client } = oidc.client;
      const explicit = {
        ...client,
        authorizationEndpoint: `${issuer}/auth`,
        tokenEndpoint: `${issuer}/token`,
        userInfoEndpoint: `${issuer}/me`,
        scopes: ['openid', 'email'],
      };
      const test = await makePro(withOAuth({ acme: explicit }));
      const email = uniqueEmail();
      oidc.accounts.set(email, { email, email_verified: true });
      const { url, transaction } = await test.service.oauth('acme').startRedirect();
      const { searchParams } = await oidc.signIn(url, email);
      expect(await test.service.oauth('acme').finishRedirect(searchParams, transaction)).toMatchObject({
        created: true,
        user: { email, emailVerified: true },
      });
    });

    it.each(['acme', 'plain'])('returns user, created, method, profile and tokens: %s', async (name) => {
      const test = await make();
      const email = uniqueEmail();
      const subject = account({ email, email_verified: true, name: 'Ada', picture: 'p', level: 3 });
      const result = await signIn(test, name, subject);
      expect(Object.keys(result).sort()).toEqual(['created', 'method', 'profile', 'tokens', 'user']);
      expect(result.method).toBe(name);
      expect(Object.keys(result.profile).sort()).toEqual(
        'email emailVerified id name picture raw'.split(' '),
      );
      expect(result.profile.raw).toMatchObject({ sub: subject, level: 3 });
      expect(result.tokens.expiresAt).toEqual(new Date(test.clock.now() + 600_000));
      expect(result.tokens).toEqual({
        accessToken: expect.stringMatching(/^[\w-]{43}$/),
        expiresAt: expect.any(Date),
        scope: name === 'acme' ? 'openid email profile' : '',
        ...(name === 'acme' && { idToken: expect.any(String) }),
      });
      expect(await signIn(test, name, subject)).toMatchObject({ created: false, user: result.user });
    });

    //
    it.each(['acme', 'plain'])(
      'starts a session by redirect and returns no provider token: %s',
      async (name) => {
        const test = await make();
        const subject = account({ email: uniqueEmail(), email_verified: true });
        const { query, transaction } = await goThrough(test, name, subject, '/pricing?a=<b>');
        const result = await test.service
          .oauth(name)
          .finishRedirect(query, transaction, { startSession: true, userAgent: 'x' });
        expect(Object.keys(result).sort()).toEqual([
          'appState',
          'created',
          'method',
          'profile',
          'session',
          'user',
        ]);
        expect(result.appState).toBe('/pricing?a=<b>');
        expect(await test.service.getSessionUser(result.session!.token)).toEqual(result.user);
      },
    );

    //
    it('finds the account by provider and subject, and never by the subject of another provider', async () => {
      const test = await make();
      const subject = account({ email: null });
      const [acme, plain] = [await signIn(test, 'acme', subject), await signIn(test, 'plain', subject)];
      expect(acme.user.id).not.toBe(plain.user.id);
      idp.accounts.set(subject, { email: uniqueEmail(), email_verified: true });
      expect(await signIn(test, 'acme', subject)).toMatchObject({
        created: false,
        user: { id: acme.user.id, email: null },
      });
    });

    it('creates the user once in concurrent sign-ins', async () => {
      const test = await make();
      const subject = account({ email: uniqueEmail(), email_verified: true });
      const codes = await Promise.all(Array.from({ length: 8 }, () => codeFor(test, 'acme', subject)));
      const results = await Promise.all(codes.map((code) => test.service.oauth('acme').handleCallback(code)));
      expect(new Set(results.map(({ user }) => user.id)).size).toBe(1);
      expect(results.filter(({ created }) => created)).toHaveLength(1);
    });
  });

  describe('a verified address of a provider', () => {
    // C-25
    it.each(['acme', 'plain'])(
      'rejects a verified address of an existing account with oauth_error if linking is explicit: %s',
      async (name) => {
        const test = await make();
        for (const owner of [await verifiedUser(test), await unverifiedUser(test)]) {
          const subject = account({ email: owner.email!.toUpperCase(), email_verified: true });
          const before = await adapter().users.findById(owner.id);
          const error = await errorOf(() => signIn(test, name, subject));
          expect(error).toMatchObject({ code: 'oauth_error', reason: 'email_exists' });
          expect(error.message).toMatch(/sign in .* link/i);
          expect(await adapter().users.findById(owner.id)).toEqual(before);
          expect(await identitiesOf(owner.id)).toEqual([]);
          expect(await adapter().identities.findUser(name, subject)).toBeNull();
        }
      },
    );

    // C-25, T13
    it('rejects a verified address under explicit linking even in the session of that account', async () => {
      const test = await make();
      const owner = await verifiedUser(test);
      const { token } = test.service.createSessionToken(owner.id);
      const subject = account({ email: owner.email, email_verified: true });
      expect(await outcomeOf(() => signIn(test, 'acme', subject, { sessionToken: token }))).toBe(
        'oauth_error',
      );
    });

    // C-25
    it.each(['trusted', 'trusted-plain'])(
      'links a verified address to its verified account if the provider is trusted: %s',
      async (name) => {
        const test = await make();
        const owner = await verifiedUser(test);
        const { token } = test.service.createSessionToken(owner.id);
        test.clock.advance(1);
        const subject = account({ email: owner.email, email_verified: true });
        await test.takeEvents();
        expect(await signIn(test, name, subject)).toMatchObject({ created: false, user: { id: owner.id } });
        expect(await test.takeEvents()).toEqual([
          { name: 'identity.linked', payload: { userId: owner.id, provider: name } },
        ]);
        expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('ok');
      },
    );

    // T2, T13, C-25
    it('reclaims its unverified account if the provider is trusted', async () => {
      const test = await make();
      const unverified = await unverifiedUser(test);
      const { token } = test.service.createSessionToken(unverified.id);
      test.clock.advance(1);
      const subject = account({ email: unverified.email, email_verified: true });
      expect(await signIn(test, 'trusted', subject)).toMatchObject({
        created: false,
        user: { id: unverified.id, emailVerified: true },
      });
      expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('token_invalid');
      const login = () => test.service.emailPassword.login({ email: unverified.email!, password });
      expect(await outcomeOf(login)).toBe('invalid_credentials');
    });

    it('accepts a verified address in sessionsProvider.upgrade only from a trusted provider', async () => {
      const test = await make();
      const upgraded = async (provider: string) => {
        const { user } = await test.service.sessionsProvider.createGuest();
        const identity = {
          provider,
          providerAccountId: uniqueEmail(),
          email: uniqueEmail(),
          emailVerified: true,
        };
        return (await test.service.sessionsProvider.upgrade({ userId: user.id, ...identity })).user
          .emailVerified;
      };
      expect(await upgraded('trusted')).toBe(true);
      expect(await upgraded('acme')).toBe(false);
    });
  });

  // T13, C-25
  it.each(['acme', 'plain', 'trusted', 'trusted-plain'])(
    'neither links to an account by an unverified address nor reserves it: %s',
    async (name) => {
      const test = await make();
      const [verified, unverified, free] = [
        (await verifiedUser(test)).email!,
        (await unverifiedUser(test)).email!,
        uniqueEmail(),
      ];
      for (const email of [verified, unverified, free]) {
        for (const email_verified of [false, undefined, 'true', 1]) {
          const owner = await adapter().users.findByEmail(email);
          const subject = account({ email, email_verified });
          const { user, created, profile } = await signIn(test, name, subject);
          expect({ created, email: user.email, verified: user.emailVerified }).toEqual({
            created: true,
            email: null,
            verified: false,
          });
          expect(profile).toMatchObject({ email, emailVerified: false });
          expect(await adapter().users.findByEmail(email)).toEqual(owner);
        }
      }
    },
  );

  describe('linkIdentity', () => {
    it.each(['acme', 'plain'])(
      'links the identity to the calling user without changing the address: %s',
      async (name) => {
        const test = await make();
        const owner = await verifiedUser(test);
        const subject = account({ email: uniqueEmail(), email_verified: true });
        await test.takeEvents();
        const linked = await test.service
          .oauth(name)
          .linkIdentity(owner.id, await codeFor(test, name, subject));
        expect(linked).toMatchObject({
          identity: {
            userId: owner.id,
            provider: name,
            providerAccountId: subject,
            createdAt: expect.any(Date),
          },
          profile: { id: subject },
        });
        expect(Object.keys(linked).sort()).toEqual(['identity', 'profile']);
        expect(await test.takeEvents()).toEqual([
          { name: 'identity.linked', payload: { userId: owner.id, provider: name } },
        ]);
        expect(await adapter().users.findById(owner.id)).toMatchObject({ email: owner.email });
        expect(await signIn(test, name, subject)).toMatchObject({ created: false, user: { id: owner.id } });
      },
    );

    it('changes nothing and emits no event if the identity is linked already', async () => {
      const test = await make();
      const owner = await verifiedUser(test);
      const subject = account();
      const link = async () =>
        test.service.oauth('acme').linkIdentity(owner.id, await codeFor(test, 'acme', subject));
      const { identity } = await link();
      await test.takeEvents();
      expect((await link()).identity).toEqual(identity);
      expect(await test.takeEvents()).toEqual([]);
      expect(await identitiesOf(owner.id)).toEqual([identity]);
    });

    it('rejects an identity of another user with oauth_error', async () => {
      const test = await make();
      const subject = account();
      const { user: first } = await signIn(test, 'acme', subject);
      const second = await verifiedUser(test);
      const code = await codeFor(test, 'acme', subject);
      const refused = await errorOf(() => test.service.oauth('acme').linkIdentity(second.id, code));
      expect(refused).toMatchObject({ code: 'oauth_error', reason: 'identity_linked' });
      expect(await identitiesOf(second.id)).toEqual([]);
      expect(await providersOf(first.id)).toEqual(['acme']);
    });

    it('links an identity to one of two concurrent users', async () => {
      const test = await make();
      const users = [await verifiedUser(test), await verifiedUser(test)];
      const subject = account();
      const codes = [await codeFor(test, 'acme', subject), await codeFor(test, 'acme', subject)];
      const tally = await race(2, (i) => test.service.oauth('acme').linkIdentity(users[i]!.id, codes[i]!));
      expect(tally).toEqual({ ok: 1, oauth_error: 1 });
    });

    it('rejects an unknown user with user_not_found, and keeps the code usable', async () => {
      const test = await make();
      const code = await codeFor(test, 'acme', account());
      const outcomes = await runInSequence(invalidIds.length, (i) =>
        test.service.oauth('acme').linkIdentity(invalidIds[i] as string, code),
      );
      expect(new Set(outcomes)).toEqual(new Set(['user_not_found']));
      expect(await outcomeOf(() => test.service.oauth('acme').handleCallback(code))).toBe('ok');
    });

    it('rejects a guest, whose account expires, with not_authorized', async () => {
      const test = await make();
      const { user } = await test.service.sessionsProvider.createGuest();
      const code = await codeFor(test, 'acme', account());
      const link = () => test.service.oauth('acme').linkIdentity(user.id, code);
      expect(await outcomeOf(link)).toBe('not_authorized');
    });

    it('removes a planted identity when the account is reclaimed', async () => {
      const test = await make();
      const unverified = await unverifiedUser(test);
      const subject = account();
      await test.service.oauth('acme').linkIdentity(unverified.id, await codeFor(test, 'acme', subject));
      await verifiedUser(test, unverified.email!);
      expect(await identitiesOf(unverified.id)).toEqual([]);
    });
  });

  describe('a replay', () => {
    //
    it.each(['acme', 'plain'])(
      'accepts an authorization response once in concurrent calls: %s',
      async (name) => {
        const test = await make();
        const { query, transaction } = await goThrough(test, name, account());
        const finish = () => test.service.oauth(name).finishRedirect(query, transaction);
        expect(await race(10, finish)).toEqual({ ok: 1, oauth_error: 9 });
        expect(await runInSequence(2, finish)).toEqual(['oauth_error', 'oauth_error']);
      },
    );

    //
    it('rejects a used response for as long as its transaction lasts, without calling the provider', async () => {
      const test = await make();
      const { query, transaction } = await goThrough(test, 'acme', account());
      const finish = () => test.service.oauth('acme').finishRedirect(query, transaction);
      await finish();
      test.clock.advance(10 * minute - 1);
      idp.requests.length = 0;
      await expect(finish()).rejects.toMatchObject({ code: 'oauth_error' });
      expect(idp.requests).toEqual([]);
    });

    it('rejects a code that was used with oauth_error', async () => {
      const test = await make();
      const code = await codeFor(test, 'acme', account());
      const finish = () => test.service.oauth('acme').handleCallback(code);
      expect(await runInSequence(2, finish)).toEqual(['ok', 'oauth_error']);
    });
  });
});
