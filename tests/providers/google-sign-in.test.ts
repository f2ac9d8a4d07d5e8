// Sign-in with the built-in identity provider against a real one, `oidc-provider` on loopback
// (specification 4.1, 4.3; docs/security-requirements.md T2, T13, A-71 to A-79, C-25).
import type { StorageAdapter } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import type { Overrides } from '../support/make-service.js';
import { runInSequence, outcomeOf, race } from '../support/outcomes.js';
import {
  account,
  goThrough,
  oidc,
  redirectUri,
  signIn,
  startProvider,
  withGoogle,
} from './google-provider.js';

const password = 'correct horse';

startProvider();

describeAdapters('Google', ({ make: makeBare, uniqueEmail, adapter, sql }) => {
  const make = (overrides?: Overrides) => makeBare(withGoogle(overrides));

  describe('a sign-in', () => {
    it('creates the user of a verified address, and finds that user again', async () => {
      const test = await make();
      const email = uniqueEmail();
      const subject = account({
        email,
        email_verified: true,
        name: 'Ada',
        picture: 'https://cdn.test/ada.png',
      });
      const first = await signIn(test, subject);
      expect(first).toMatchObject({
        created: true,
        user: { email, emailVerified: true, metadata: {} },
        profile: {
          id: subject,
          email,
          emailVerified: true,
          name: 'Ada',
          picture: 'https://cdn.test/ada.png',
        },
      });
      expect(first.profile.raw).toMatchObject({ sub: subject });
      expect(Object.keys(first.user).sort()).toEqual(
        'createdAt email emailVerified id metadata updatedAt'.split(' '),
      );
      const second = await signIn(test, subject);
      expect(second).toMatchObject({ created: false, user: first.user });
      expect(await adapter().identities.listForUser(first.user.id)).toEqual([
        expect.objectContaining({ provider: 'google', providerAccountId: subject, userId: first.user.id }),
      ]);
    });

    it('creates an account if the one with the address is deleted during the sign-in, and says so', async () => {
      const storage = adapter();
      const deletion: { of?: string } = {};
      const users: StorageAdapter['users'] = {
        ...storage.users,
        async findByEmail(email) {
          const user = await storage.users.findByEmail(email);
          if (user && user.id === deletion.of) await storage.accounts!.deleteUser(user.id, async () => {});
          return user;
        },
      };
      const google = { ...oidc.client, profileToMetadata: true };
      const test = await make({ adapter: { ...storage, users }, providers: { google } });
      const email = uniqueEmail();
      const before = await test.service.emailPassword.signup({ email, password });
      deletion.of = before.user.id;
      const result = await signIn(test, account({ email, email_verified: true, name: 'Ada' }));
      expect(result).toMatchObject({
        created: true,
        user: { email, emailVerified: true, metadata: { name: 'Ada' } },
      });
      expect(result.user.id).not.toBe(before.user.id);
    });

    it('succeeds programmatically with getAuthUrl and handleCallback', async () => {
      const test = await make();
      const email = uniqueEmail();
      const subject = account({ email, email_verified: true });
      const url = await test.service.google.getAuthUrl({ state: 'bound by the caller' });
      const callback = await oidc.signIn(url, subject);
      expect(callback.origin + callback.pathname).toBe(redirectUri);
      expect(callback.searchParams.get('state')).toBe('bound by the caller');
      const code = callback.searchParams.get('code')!;
      const result = await test.service.google.handleCallback(code);
      expect(result).toMatchObject({ created: true, user: { email }, profile: { id: subject, email } });
      expect(await outcomeOf(() => test.service.google.handleCallback(code))).toBe('oauth_error');
    });

    //
    it('returns no token of the provider', async () => {
      const test = await make();
      const result = await signIn(test, account({ email: uniqueEmail(), email_verified: true }));
      expect(Object.keys(result).sort()).toEqual(['appState', 'created', 'method', 'profile', 'user']);
      expect(JSON.stringify([result, test.log])).not.toMatch(/access_token|id_token|refresh_token/);
    });

    it('starts a session with startSession', async () => {
      const test = await make();
      const { query, transaction } = await goThrough(
        test,
        account({ email: uniqueEmail(), email_verified: true }),
      );
      const { user, session } = await test.service.google.finishRedirect(query, transaction, {
        startSession: true,
      });
      expect(await test.service.getSessionUser(session!.token)).toEqual(user);
    });

    //
    it('returns the state of the application unchanged, and never redirects to it', async () => {
      const test = await make();
      const appState = 'https://evil.test/?"<>&';
      const { query, transaction, url } = await goThrough(test, account({}), appState);
      expect(url).not.toContain('evil.test');
      expect(query.get('state')).not.toContain('evil');
      const result = await test.service.google.finishRedirect(query, transaction);
      expect(result.appState).toBe(appState);
    });
  });

  describe('an account of the provider', () => {
    //
    it('an account of the provider is found by provider and subject, with any address', async () => {
      const test = await make();
      const [old, fresh] = [uniqueEmail(), uniqueEmail()];
      const subject = account({ email: old, email_verified: true });
      const { user } = await signIn(test, subject);
      oidc.accounts.set(subject, { email: fresh, email_verified: true });
      expect(await signIn(test, subject)).toMatchObject({
        created: false,
        user: { id: user.id, email: old },
      });
      // The mailbox is the same, but its owner at the provider is another subject.
      expect(await adapter().users.findByEmail(fresh)).toBeNull();
    });

    // C-25
    it('an account of the provider is linked to the verified account of its verified address', async () => {
      const test = await make();
      const email = uniqueEmail();
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      const { user } = await test.service.emailCode.verify({ email, code });
      const { token } = test.service.createSessionToken(user.id);
      test.clock.advance(1);
      const subject = account({ email: email.toUpperCase(), email_verified: true });
      expect(await signIn(test, subject)).toMatchObject({ created: false, user: { id: user.id } });
      // A link reclaims nothing: what the owner has remains.
      expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('ok');
      expect(await signIn(test, subject)).toMatchObject({ created: false, user: { id: user.id } });
    });

    it('an account of the provider is linked with the epoch after a revocation that overtook the sign-in', async () => {
      const { identities, ...rest } = adapter();
      const epochs: number[] = [];
      const link: typeof identities.link = async (identity, epoch) => {
        epochs.push(epoch);
        if (epochs.length === 1) await rest.sessions.revokeAll(identity.userId, new Date());
        return identities.link(identity, epoch);
      };
      const test = await make({ adapter: { ...rest, identities: { ...identities, link } } });
      const email = uniqueEmail();
      await test.service.emailCode.sendCode({ email });
      const { user } = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      const subject = account({ email, email_verified: true });
      expect((await signIn(test, subject)).user.id).toBe(user.id);
      expect(epochs).toEqual([0, 1]);
      expect(await identities.listForUser(user.id)).toHaveLength(1);
    });

    // T2, T13, C-25
    it('reclaims the unverified account of its verified address, then is linked', async () => {
      const test = await make();
      const email = uniqueEmail();
      const attacker = await test.service.emailPassword.signup({ email, password }, { startSession: true });
      const subject = account({ email, email_verified: true });
      const { user, created } = await signIn(test, subject);
      expect({ created, id: user.id, verified: user.emailVerified }).toEqual({
        created: false,
        id: attacker.user.id,
        verified: true,
      });
      expect(await outcomeOf(() => test.service.getSessionUser(attacker.session!.token))).toBe(
        'token_invalid',
      );
      const login = () => test.service.emailPassword.login({ email, password });
      expect(await outcomeOf(login)).toBe('invalid_credentials');
      expect(await signIn(test, subject)).toMatchObject({ created: false, user: { id: user.id } });
    });

    it('only verifies the address and links the identity in an active session of the same account', async () => {
      const test = await make();
      const email = uniqueEmail();
      const { session } = await test.service.emailPassword.signup(
        { email, password },
        { startSession: true },
      );
      const subject = account({ email, email_verified: true });
      const result = await signIn(test, subject, { sessionToken: session!.token });
      expect(result.user.emailVerified).toBe(true);
      expect(await outcomeOf(() => test.service.emailPassword.login({ email, password }))).toBe('ok');
    });

    // T13, C-25
    it.each([
      ['unverified', { email_verified: false }],
      ['not said to be verified', {}],
      ['verified with a string', { email_verified: 'true' }],
      ['verified with 1', { email_verified: 1 }],
    ])('is linked to no account, and gets no address, if its address is %s', async (_name, claims) => {
      const test = await make();
      const verified = uniqueEmail();
      const unverified = uniqueEmail();
      await test.service.emailCode.sendCode({ email: verified });
      await test.service.emailCode.verify({ email: verified, code: test.mail.lastCode(verified)! });
      await test.service.emailPassword.signup({ email: unverified, password });
      for (const email of [verified, unverified, uniqueEmail()]) {
        const owner = await adapter().users.findByEmail(email);
        const subject = account({ email, ...claims });
        const { user, created, profile } = await signIn(test, subject);
        expect(created).toBe(true);
        expect(user).toMatchObject({ email: null, emailVerified: false });
        expect(profile).toMatchObject({ email, emailVerified: false });
        expect(await adapter().users.findByEmail(email)).toEqual(owner);
        // It has a separate account, which the next sign-in finds.
        expect(await signIn(test, subject)).toMatchObject({ created: false, user: { id: user.id } });
      }
      expect(await outcomeOf(() => test.service.emailPassword.login({ email: unverified, password }))).toBe(
        'ok',
      );
    });

    it('creates a user without an address if it has none', async () => {
      const test = await make();
      const { user, profile } = await signIn(test, account({ name: 'Ada' }));
      expect(user).toMatchObject({ email: null, emailVerified: false });
      expect(profile).toMatchObject({ email: null, emailVerified: false, name: 'Ada', picture: null });
    });

    // T13
    it.each([
      'victim@example.com,eve@evil.com',
      'vi\u212Atim@example.com',
      '"victim"@example.com',
      'x'.repeat(400),
    ])('creates a user without an address if its address is malformed: %s', async (email) => {
      const test = await make();
      const { user } = await signIn(test, account({ email, email_verified: true }));
      expect(user).toMatchObject({ email: null, emailVerified: false });
    });

    it('keeps its user when the address of an account is verified later', async () => {
      const test = await make();
      const email = uniqueEmail();
      await test.service.emailPassword.signup({ email, password });
      const subject = account({ email, email_verified: false });
      const { user } = await signIn(test, subject);
      oidc.accounts.set(subject, { email, email_verified: true });
      expect(await signIn(test, subject)).toMatchObject({
        created: false,
        user: { id: user.id, email: null },
      });
    });

    it('creates one user for concurrent sign-ins', async () => {
      const test = await make();
      const subject = account({ email: uniqueEmail(), email_verified: true });
      const ways = await Promise.all(Array.from({ length: 8 }, () => goThrough(test, subject)));
      const results = await Promise.all(
        ways.map(({ query, transaction }) => test.service.google.finishRedirect(query, transaction)),
      );
      expect(new Set(results.map(({ user }) => user.id)).size).toBe(1);
      expect(results.filter(({ created }) => created)).toHaveLength(1);
    });

    it('creates one user together with a code for the same new address', async () => {
      const test = await make();
      const email = uniqueEmail();
      const { query, transaction } = await goThrough(test, account({ email, email_verified: true }));
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      const results = await Promise.all([
        test.service.google.finishRedirect(query, transaction),
        test.service.emailCode.verify({ email, code }),
      ]);
      expect(new Set(results.map(({ user }) => user.id)).size).toBe(1);
    });
  });

  describe('a replay', () => {
    //
    it('rejects a used response with oauth_error', async () => {
      const test = await make();
      const { query, transaction } = await goThrough(
        test,
        account({ email: uniqueEmail(), email_verified: true }),
      );
      const finish = () => test.service.google.finishRedirect(query, transaction);
      expect(await runInSequence(3, finish)).toEqual(['ok', 'oauth_error', 'oauth_error']);
    });

    //
    it('accepts a response once in 20 concurrent calls', async () => {
      const test = await make();
      const { query, transaction } = await goThrough(
        test,
        account({ email: uniqueEmail(), email_verified: true }),
      );
      const tally = await race(20, () => test.service.google.finishRedirect(query, transaction));
      expect(tally).toEqual({ ok: 1, oauth_error: 19 });
    });
  });

  if (!sql) return;
  it('rejects with internal_error if the database fails, and recovers', async () => {
    const test = await make();
    const subject = account({ email: uniqueEmail(), email_verified: true });
    const { query, transaction } = await goThrough(test, subject);
    await sql('alter table svc_identities rename to svc_identities_away');
    try {
      expect(await outcomeOf(() => test.service.google.finishRedirect(query, transaction))).toBe(
        'internal_error',
      );
    } finally {
      await sql('alter table svc_identities_away rename to svc_identities');
    }
    expect(await signIn(test, subject)).toMatchObject({ created: true });
  });
});
