// New accounts with a passkey alone: with an address that is proven first, one that is proven later, or none
// (docs/decisions/passkey-sign-up.md).
import type { ChallengeRequiredError, RequestContext, ServiceConfig, SignUpCandidate } from 'svc-auth';
import { solveProofOfWork } from 'svc-auth/client';
import { softwareAuthenticator, type TamperOptions } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, type ProService } from '../support/make-pro-service.js';
import type { Overrides } from '../support/make-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';
import { differentCode, readToken } from '../support/site-actions.js';
import { passkeyFixtures, tamperedFields } from '../support/passkeys.js';

type Address = 'verified' | 'later' | 'none';
type Started = Awaited<ReturnType<ProService['service']['webauthn']['startSignUp']>>;

const usedTwoFactors = (token: string) => JSON.stringify(readToken(token)['amr'] ?? []).includes('mfa');

const password = 'correct horse battery';
const ip = '203.0.113.7';

describeAdapters('Sign-up with a passkey', (on) => {
  const { adapter, uniqueEmail } = on;
  const { makePasskeys, verifiedUser, unverifiedUser, signIn, register } = passkeyFixtures(on);

  /** A service with one sender for all mails. */
  async function makeSignUps(address: Address, overrides: Overrides = {}) {
    const made: { test?: ProService } = {};
    const sender = { send: async (message: never) => made.test!.mail.send(message) };
    const providers: ServiceConfig['providers'] = { account: { sender } };
    const signUp = { address, ...(address !== 'none' && { sender }) };
    const test = await makePasskeys({ signUp }, { usernames: { enabled: true }, ...overrides, providers });
    made.test = test;
    await test.takeEvents();
    return test;
  }

  const finish = (
    test: ProService,
    { options, challenge }: Started,
    tampering: TamperOptions = {},
    context: RequestContext = {},
  ) => {
    const authenticator = softwareAuthenticator();
    const response = authenticator.create(options, tampering);
    const input = { response, expectedChallenge: challenge };
    return {
      authenticator,
      result: test.service.webauthn.finishSignUp(input, { startSession: true, ip, ...context }),
    };
  };

  async function proven(test: ProService, email: string) {
    await test.service.webauthn.sendSignUpCode({ email });
    return { email, code: test.mail.lastCode(email)! };
  }

  describe('without an address', () => {
    it('creates a user with the passkey, and signs in as two factors after user verification', async () => {
      const test = await makeSignUps('none');
      const started = await test.service.webauthn.startSignUp({ metadata: { plan: 'free' } });
      expect(started.options.authenticatorSelection?.residentKey).toBe('required');
      expect(started.options.excludeCredentials ?? []).toEqual([]);
      const { authenticator, result } = finish(test, started);
      const { user, created, session } = await result;
      expect([created, user.email, user.emailVerified, user.metadata]).toEqual([
        true,
        null,
        false,
        { plan: 'free' },
      ]);
      expect(usedTwoFactors(session!.token)).toBe(true);
      expect(await test.takeEventNames()).toEqual(['user.created', 'passkey.registered', 'session.created']);
      expect((await signIn({ test, authenticator })).user).toEqual(user);
    });

    it('counts as one factor without user verification, or without countsAsTwoFactors', async () => {
      const test = await makeSignUps('none');
      const started = await test.service.webauthn.startSignUp({});
      const touched = await finish(test, started, { userVerified: false }).result;
      expect(usedTwoFactors(touched.session!.token)).toBe(false);
      const strict = await makePasskeys({ signUp: true, countsAsTwoFactors: false });
      const { session } = await finish(strict, await strict.service.webauthn.startSignUp({})).result;
      expect(usedTwoFactors(session!.token)).toBe(false);
    });

    it('gives the user a user name, which another user then cannot have', async () => {
      const test = await makeSignUps('none');
      const username = `Ada${uniqueEmail().replaceAll(/[^a-z0-9]/g, '')}`.slice(0, 30);
      const [first, second] = [
        await test.service.webauthn.startSignUp({ username }),
        await test.service.webauthn.startSignUp({ username: username.toUpperCase() }),
      ];
      expect(first.options.user.name).toBe(username);
      const { user } = await finish(test, first).result;
      expect(await test.service.usernames.get(user.id)).toEqual({ username });
      expect(await errorOf(() => finish(test, second).result)).toMatchObject({
        code: 'invalid_request',
        reason: 'username_taken',
      });
      expect(await errorOf(() => test.service.webauthn.startSignUp({ username }))).toMatchObject({
        reason: 'username_taken',
      });
    });

    it('refuses an address, which no one would have proven', async () => {
      const { webauthn } = (await makeSignUps('none')).service;
      expect(await outcomeOf(() => webauthn.startSignUp({ email: uniqueEmail() }))).toBe('invalid_request');
      expect(await outcomeOf(() => webauthn.sendSignUpCode({ email: uniqueEmail() }))).toBe(
        'provider_not_configured',
      );
    });

    it('is refused unless signUp is configured', async () => {
      const { webauthn } = (await makePasskeys()).service;
      const input = { response: undefined as never, expectedChallenge: 'x' };
      for (const call of [
        () => webauthn.startSignUp({}),
        () => webauthn.sendSignUpCode({ email: uniqueEmail() }),
        () => webauthn.finishSignUp(input),
      ])
        expect(await outcomeOf(call)).toBe('provider_not_configured');
    });
  });

  describe('with an address that is proven first', () => {
    it('creates a user with a verified address, and no passkey before the right code', async () => {
      const test = await makeSignUps('verified');
      const { email, code } = await proven(test, uniqueEmail());
      const { webauthn } = test.service;
      const wrong = code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));
      expect(await outcomeOf(() => webauthn.startSignUp({ email, code: wrong }))).toBe('code_invalid');
      expect(await outcomeOf(() => webauthn.startSignUp({ email }))).toBe('invalid_request');
      const started = await webauthn.startSignUp({ email, code });
      expect(await outcomeOf(() => webauthn.startSignUp({ email, code }))).toBe('code_not_found');
      expect(await adapter().users.findByEmail(email)).toBeNull();
      const { user, created } = await finish(test, started).result;
      expect([created, user.email, user.emailVerified]).toEqual([true, email, true]);
      // The owner of the mailbox is the user: another sign-in does not reclaim the account.
      expect((await verifiedUser(test, email)).id).toBe(user.id);
      expect(await webauthn.listCredentials(user.id)).toHaveLength(1);
    });

    it('mails a notice without a code to an address that has an account, and answers the same', async () => {
      const test = await makeSignUps('verified');
      const [known, unknown] = [(await verifiedUser(test)).email!, uniqueEmail()];
      test.mail.clear();
      const { webauthn } = test.service;
      const sent = [
        await webauthn.sendSignUpCode({ email: known }),
        await webauthn.sendSignUpCode({ email: unknown }),
      ];
      expect(sent[0]).toEqual(sent[1]);
      expect(test.mail.messages.map(({ to, kind }) => [to, kind])).toEqual([
        [known, 'notice'],
        [unknown, 'email_code'],
      ]);
      expect(test.mail.messages[0]?.text).not.toMatch(/\d{6}/);
      for (const email of [known, unknown])
        expect(await outcomeOf(() => webauthn.startSignUp({ email, code: '000000' }))).toBe('code_invalid');
    });

    it('does not take the address of an account that was created in the meantime', async () => {
      const test = await makeSignUps('verified');
      const { email, code } = await proven(test, uniqueEmail());
      const started = await test.service.webauthn.startSignUp({ email, code });
      const owner = await verifiedUser(test, email);
      expect(await outcomeOf(() => finish(test, started).result)).toBe('email_exists');
      expect(await test.service.webauthn.listCredentials(owner.id)).toEqual([]);
      const late = await adapter().users.findByEmail(email);
      expect(late?.id).toBe(owner.id);
    });

    it('reclaims an unverified account of the address: its password and its passkey stop working', async () => {
      const test = await makeSignUps('verified');
      const squatter = await unverifiedUser(test);
      const attacker = softwareAuthenticator();
      await register({ test, user: squatter, authenticator: attacker });
      const { email, code } = await proven(test, squatter.email!);
      const started = await test.service.webauthn.startSignUp({ email, code });
      // Only the end of the sign-up changes the account.
      expect((await signIn({ test, authenticator: attacker })).user.id).toBe(squatter.id);
      await test.takeEvents();
      const { authenticator, result } = finish(test, started);
      const { user, created } = await result;
      expect([user.id, user.emailVerified, created]).toEqual([squatter.id, true, false]);
      expect(await test.takeEventNames()).toEqual(['user.claimed', 'passkey.registered', 'session.created']);
      expect(await outcomeOf(() => signIn({ test, authenticator: attacker }))).toBe('token_invalid');
      const login = () => test.service.emailPassword.login({ email, password });
      expect(await outcomeOf(login)).toBe('invalid_credentials');
      expect((await signIn({ test, authenticator })).user.id).toBe(user.id);
    });

    it('keeps the user name and the metadata of a sign-up that reclaims an account', async () => {
      const test = await makeSignUps('verified');
      const squatter = await unverifiedUser(test);
      await test.service.users.update(squatter.id, { mergeMetadata: { plan: 'free', theme: 'dark' } });
      const username = `ada${squatter.id.slice(-12)}`;
      const sent = { ...(await proven(test, squatter.email!)), username, metadata: { plan: 'pro' } };
      const started = await test.service.webauthn.startSignUp(sent);
      const { user } = await finish(test, started).result;
      expect(user.metadata).toEqual({ plan: 'pro', theme: 'dark' });
      expect(await test.service.users.get(squatter.id)).toMatchObject({ username, metadata: user.metadata });
    });

    it('does not reclaim an account if the user name was taken in the meantime', async () => {
      const test = await makeSignUps('verified');
      const squatter = await unverifiedUser(test);
      const username = `bob${squatter.id.slice(-12)}`;
      const sent = { ...(await proven(test, squatter.email!)), username };
      const started = await test.service.webauthn.startSignUp(sent);
      await test.service.users.create({ username });
      expect(await outcomeOf(() => finish(test, started).result)).toBe('invalid_request');
      expect((await adapter().users.findById(squatter.id))?.emailVerified).toBe(false);
    });

    it('keeps what the account has for a sign-up in the session of the account', async () => {
      const test = await makeSignUps('verified');
      const user = await unverifiedUser(test);
      const { token } = await test.service.sessionsProvider.create({ userId: user.id });
      const { email, code } = await proven(test, user.email!);
      const started = await test.service.webauthn.startSignUp({ email, code });
      await test.takeEvents();
      const { result } = finish(test, started, {}, { sessionToken: token });
      expect((await result).user).toMatchObject({ id: user.id, emailVerified: true });
      expect(await test.takeEventNames()).not.toContain('user.claimed');
      expect(await outcomeOf(() => test.service.emailPassword.login({ email, password }))).toBe('ok');
    });

    it('refuses an old session of the account, as for every new sign-in method, before a code is used up', async () => {
      const test = await makeSignUps('verified');
      const user = await unverifiedUser(test);
      const { token: sessionToken } = await test.service.sessionsProvider.create({ userId: user.id });
      const { email, code } = await proven(test, user.email!);
      test.clock.advance(10 * minute - 1);
      const started = await test.service.webauthn.startSignUp({ email, code }, { sessionToken });
      test.clock.advance(2);
      const { result } = finish(test, started, {}, { sessionToken });
      expect(await outcomeOf(() => result)).toBe('reauth_required');
      const again = await proven(test, user.email!);
      const start = (context: object) => outcomeOf(() => test.service.webauthn.startSignUp(again, context));
      expect([await start({ sessionToken }), await start({})]).toEqual(['reauth_required', 'ok']);
    });

    it('does not reveal an account by a template that fails', async () => {
      const made: { test?: ProService } = {};
      const sender = { send: async (message: never) => made.test!.mail.send(message) };
      const broken = () => {
        throw new Error('broken');
      };
      for (const name of ['template', 'addressInUseTemplate']) {
        const test = await makePasskeys({ signUp: { address: 'verified', sender, [name]: broken } });
        made.test = test;
        const { email: known } = await verifiedUser(test);
        for (const email of [known!, uniqueEmail()])
          expect(await outcomeOf(() => test.service.webauthn.sendSignUpCode({ email }))).toBe('ok');
      }
    });

    it('does not reclaim an account with a passkey that is already registered', async () => {
      const test = await makeSignUps('verified');
      const registered = softwareAuthenticator();
      await register({ test, user: await verifiedUser(test), authenticator: registered });
      const squatter = await unverifiedUser(test);
      const started = await test.service.webauthn.startSignUp(await proven(test, squatter.email!));
      const [{ id: credentialId }] = registered.credentials as unknown as [{ id: string }];
      await test.takeEvents();
      expect(await outcomeOf(() => finish(test, started, { credentialId }).result)).toBe('invalid_request');
      // Otherwise the address would be verified, and a second sign-up would be refused.
      expect((await adapter().users.findById(squatter.id))?.emailVerified).toBe(false);
      expect(await test.takeEventNames()).toEqual([]);
    });

    it('shares its wrong guesses with codes that sign in, so that a mailbox has one limit', async () => {
      const test = await makeSignUps('verified', { rateLimit: { maxPerWindow: 100 } });
      const { emailCode, webauthn } = test.service;
      const email = uniqueEmail();
      for (let i = 0; i < 10; i += 1) {
        await emailCode.sendCode({ email });
        const code = differentCode(test.mail.lastCode(email));
        expect(await outcomeOf(() => emailCode.verify({ email, code }, { ip }))).toBe('code_invalid');
      }
      const right = await proven(test, email);
      expect(await outcomeOf(() => webauthn.startSignUp(right, { ip }))).toBe('rate_limit_exceeded');
    });

    it('does not create a user with the id of an account that was deleted during the sign-up', async () => {
      const test = await makeSignUps('verified');
      const squatter = await unverifiedUser(test);
      const { email, code } = await proven(test, squatter.email!);
      const started = await test.service.webauthn.startSignUp({ email, code });
      await test.service.account.deleteUser(squatter.id);
      expect(await outcomeOf(() => finish(test, started).result)).toBe('token_invalid');
      expect(await adapter().users.findById(squatter.id)).toBeNull();
      expect(await adapter().users.findByEmail(email)).toBeNull();
    });

    it('creates one account with 50 concurrent sign-ups for one address', async () => {
      const test = await makeSignUps('verified', { rateLimit: { maxPerWindow: 100 } });
      const email = uniqueEmail();
      const starts: Started[] = [];
      for (let i = 0; i < 10; i += 1)
        starts.push(await test.service.webauthn.startSignUp(await proven(test, email)));
      const results = await race(50, (index = 0) => finish(test, starts[index % 10]!).result);
      expect(results['ok']).toBe(1);
      const user = await adapter().users.findByEmail(email);
      expect(await test.service.webauthn.listCredentials(user!.id)).toHaveLength(1);
    });
  });

  describe('with an address that is proven later', () => {
    it('creates a user without the address, who gets it with the mailed code', async () => {
      const test = await makeSignUps('later');
      const email = uniqueEmail();
      const { authenticator, result } = finish(test, await test.service.webauthn.startSignUp({ email }));
      const { user } = await result;
      expect(user.email).toBeNull();
      await test.takeEvents();
      const code = test.mail.lastCode(email)!;
      const changed = await test.service.account.confirmEmailChange({ userId: user.id, email, code });
      expect(changed.user).toMatchObject({ id: user.id, email, emailVerified: true });
      expect((await signIn({ test, authenticator })).user.id).toBe(user.id);
    });

    it('answers and works the same for an address that has an account, whose owner gets a notice', async () => {
      const test = await makeSignUps('later');
      const owner = await verifiedUser(test);
      test.mail.clear();
      const known = await finish(test, await test.service.webauthn.startSignUp({ email: owner.email! }))
        .result;
      const other = uniqueEmail();
      const unknown = await finish(test, await test.service.webauthn.startSignUp({ email: other })).result;
      const shape = ({ user, created }: typeof known) => ({ ...user, id: '', created });
      expect(shape(known)).toEqual(shape(unknown));
      await test.takeEvents();
      expect(test.mail.messages.map(({ to, kind }) => [to, kind]).sort()).toEqual(
        [
          [owner.email, 'notice'],
          [other, 'email_code'],
        ].sort(),
      );
      // The attacker who signed up with it gets neither the account nor the address.
      expect((await adapter().users.findByEmail(owner.email!))?.id).toBe(owner.id);
      const guess = { userId: known.user.id, email: owner.email!, code: '000000' };
      expect(await outcomeOf(() => test.service.account.confirmEmailChange(guess))).toBe('code_invalid');
    });

    it('leaves the address free for its owner, who signs in with a new account', async () => {
      const test = await makeSignUps('later');
      const email = uniqueEmail();
      const attacker = await finish(test, await test.service.webauthn.startSignUp({ email })).result;
      await test.takeEvents();
      const code = test.mail.lastCode(email)!;
      const owner = await verifiedUser(test, email);
      expect(owner.id).not.toBe(attacker.user.id);
      const late = { userId: attacker.user.id, email, code };
      expect(await outcomeOf(() => test.service.account.confirmEmailChange(late))).toBe('email_exists');
      expect(await test.service.webauthn.listCredentials(owner.id)).toEqual([]);
    });
  });

  describe('the ceremony', () => {
    it('accepts one of 50 concurrent responses to one challenge, and creates one user', async () => {
      const test = await makeSignUps('none');
      const started = await test.service.webauthn.startSignUp({});
      expect(await race(50, () => finish(test, started).result)).toEqual({ ok: 1, token_invalid: 49 });
      expect((await test.takeEventNames()).filter((name) => name === 'user.created')).toHaveLength(1);
    });

    it.each(tamperedFields)('creates no user with %s', async (_name, tampering) => {
      const test = await makeSignUps('none');
      const started = await test.service.webauthn.startSignUp({});
      expect(await outcomeOf(() => finish(test, started, tampering).result)).toBe('token_invalid');
      expect(await test.takeEventNames()).toEqual([]);
    });

    it('is bound to sign-ups: its challenge adds no passkey and signs in no one, nor the reverse', async () => {
      const test = await makeSignUps('none');
      const { webauthn } = test.service;
      const user = await verifiedUser(test);
      const authenticator = softwareAuthenticator();
      await register({ test, user, authenticator });
      const started = await webauthn.startSignUp({});
      const forRegistration = softwareAuthenticator().create(started.options);
      const registration = {
        userId: user.id,
        response: forRegistration,
        expectedChallenge: started.challenge,
      };
      expect(await outcomeOf(() => webauthn.finishRegistration(registration))).toBe('token_invalid');
      const begun = await webauthn.startRegistration(user.id);
      const created = softwareAuthenticator().create(begun.options);
      const signUp = { response: created, expectedChallenge: begun.challenge };
      expect(await outcomeOf(() => webauthn.finishSignUp(signUp))).toBe('token_invalid');
      const asked = await webauthn.startSignUp({});
      const { options } = await webauthn.startAuthentication();
      const assertion = authenticator.get({ ...options, challenge: asked.challenge });
      const input = { response: assertion, expectedChallenge: asked.challenge };
      expect(await outcomeOf(() => webauthn.finishAuthentication(input))).toBe('token_invalid');
    });

    it('refuses a passkey that another user has, and creates no user', async () => {
      const test = await makeSignUps('none');
      const first = finish(test, await test.service.webauthn.startSignUp({}));
      await first.result;
      const [{ id: credentialId }] = first.authenticator.credentials as unknown as [{ id: string }];
      await test.takeEvents();
      const second = finish(test, await test.service.webauthn.startSignUp({}), { credentialId });
      expect(await outcomeOf(() => second.result)).toBe('invalid_request');
      expect(await test.takeEventNames()).toEqual([]);
    });

    it('expires after five minutes', async () => {
      const test = await makeSignUps('none');
      const started = await test.service.webauthn.startSignUp({});
      test.clock.advance(5 * minute);
      expect(await outcomeOf(() => finish(test, started).result)).toBe('token_invalid');
    });
  });

  describe('the sign-up policy and the limits', () => {
    it('asks the policy before a passkey is created and before the account is', async () => {
      const asked: SignUpCandidate[] = [];
      const allow = (candidate: SignUpCandidate) => asked.push(candidate) > 0;
      const test = await makeSignUps('verified', { signUp: { allow } });
      const { email, code } = await proven(test, uniqueEmail());
      await finish(test, await test.service.webauthn.startSignUp({ email, code }, { ip })).result;
      const candidate = { method: 'passkey_signup', email, emailVerified: true, metadata: {} };
      expect(asked).toMatchObject([candidate, candidate, candidate]);
    });

    it('passes an address that is proven later to the policy as unverified', async () => {
      const test = await makeSignUps('later', { signUp: { allow: ({ emailVerified }) => emailVerified } });
      const start = () => test.service.webauthn.startSignUp({ email: uniqueEmail() });
      expect(await outcomeOf(start)).toBe('sign_up_disabled');
    });

    it('mails a refusal, not a code, to an address that may not sign up', async () => {
      const test = await makeSignUps('verified', { signUp: { allow: () => false } });
      const email = uniqueEmail();
      await test.service.webauthn.sendSignUpCode({ email });
      expect(test.mail.messages).toMatchObject([{ to: email, kind: 'sign_up_refused' }]);
      const start = () => test.service.webauthn.startSignUp({ email, code: '000000' });
      expect(await outcomeOf(start)).toBe('code_invalid');
    });

    it('is closed with signUp.enabled: false, also for a sign-up that has begun', async () => {
      const test = await makeSignUps('none', { signUp: { enabled: false } });
      expect(await outcomeOf(() => test.service.webauthn.startSignUp({}))).toBe('sign_up_disabled');
    });

    it('asks a client that signs up or requests codes often for a challenge', async () => {
      const signUp = { challenge: { after: 0, cost: 1 } };
      const client = { ip: '198.51.100.10' };
      const proving = (await makeSignUps('verified', { signUp })).service.webauthn;
      const { webauthn } = (await makeSignUps('none', { signUp })).service;
      const steps = [
        (more: object) => proving.sendSignUpCode({ email: uniqueEmail(), ...more }, client),
        (more: object) => webauthn.startSignUp({ ...more }, client),
      ];
      for (const step of steps) {
        const refusal = (await errorOf(() => step({}))) as unknown as ChallengeRequiredError;
        expect(refusal.code).toBe('challenge_required');
        const challengeSolution = await solveProofOfWork(refusal.challenge);
        expect(await outcomeOf(() => step({ challengeSolution }))).toBe('ok');
        expect(await outcomeOf(() => step({ challengeSolution }))).toBe('challenge_required');
      }
    });

    it('counts against the limits of sign-ups', async () => {
      const rateLimit = { signUp: { perIp: { max: 2 } } };
      const { webauthn } = (await makeSignUps('none', { rateLimit })).service;
      const outcomes = [1, 2, 3].map(() => outcomeOf(() => webauthn.startSignUp({}, { ip: '198.51.100.9' })));
      expect((await Promise.all(outcomes)).sort()).toEqual(['ok', 'ok', 'rate_limit_exceeded']);
    });
  });
});
