// Fields that the application requires of a new account, with every method that proves an address, a number or an account at a provider
// before it could ask for them (docs/decisions/sign-up-fields.md).
import * as z from 'zod';
import type { FieldsRequiredError, RequestContext, ServiceConfig, SignUpCandidate } from 'svc-auth';
import { smsOutbox, softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, proFixtures, type ProService } from '../support/make-pro-service.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';
import { account, signIn, startProvider, withGoogle } from './google-provider.js';

const required = z.object({ company: z.string().min(2), newsletter: z.boolean().default(false) });
const fields = { company: 'Acme' };
const stored = { company: 'Acme', newsletter: false };
const context: RequestContext = { startSession: true, ip: '203.0.113.7' };

startProvider();

describeAdapters('Required fields of a sign-up', (on) => {
  const { uniqueEmail } = on;
  const { makePro } = proFixtures(on);
  const uniquePhone = () => `+1415${String(Math.random()).slice(2, 9).replace(/^[01]/, '2')}`;

  async function makeRequiring(signUp: ServiceConfig['signUp'] = {}) {
    const sms = smsOutbox();
    const made: { test?: ProService } = {};
    const sender = { send: async (message: never) => made.test!.mail.send(message) };
    const test = await makePro(
      withGoogle({
        signUp: { fields: required, ...signUp },
        providers: {
          phoneOtp: { sender: sms, allowCountry: () => true },
          webauthn: {
            rpId: 'acme.test',
            origins: ['https://acme.test'],
            signUp: { address: 'later', sender },
          },
        },
      }),
    );
    made.test = test;
    return { ...test, sms };
  }
  type Requiring = Awaited<ReturnType<typeof makeRequiring>>;

  /** Proves something new, and returns what finds its account. */
  const proofs: Record<
    string,
    (test: Requiring) => Promise<{ prove: () => Promise<unknown>; method: string }>
  > = {
    async 'a mailed code'(test) {
      const email = uniqueEmail();
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      return { method: 'email_code', prove: () => test.service.emailCode.verify({ email, code }, context) };
    },
    async 'a mailed link'(test) {
      const { url } = await test.service.magicLink.sendLink({ email: uniqueEmail() });
      const token = new URL(url).searchParams.get('token')!;
      return { method: 'magic_link', prove: () => test.service.magicLink.verify(token, context) };
    },
    async 'a text message'(test) {
      const phone = uniquePhone();
      await test.service.phoneOtp.sendCode({ phone });
      const code = test.sms.lastCode(phone)!;
      return { method: 'phone_code', prove: () => test.service.phoneOtp.verify({ phone, code }, context) };
    },
    async 'an identity provider'(test) {
      const subject = account({ email: uniqueEmail(), email_verified: true, name: 'Ada' });
      return { method: 'google', prove: () => signIn(test, subject) };
    },
    async 'an identity provider without a verified address'(test) {
      const subject = account({ email: uniqueEmail(), email_verified: false });
      return { method: 'google', prove: () => signIn(test, subject) };
    },
  };

  /** Proves it, and returns the token of the sign-up that lacks its fields. */
  async function pendingOf(prove: () => Promise<unknown>): Promise<string> {
    const error = (await errorOf(prove)) as unknown as FieldsRequiredError;
    expect(error).toMatchObject({
      code: 'fields_required',
      message: 'A few more details are needed to create the account.',
    });
    return error.pending!.token;
  }

  describe.each(Object.keys(proofs))('%s', (name) => {
    it('creates no account without the fields, and creates it with them', async () => {
      const test = await makeRequiring();
      const { method, prove } = await proofs[name]!(test);
      await test.takeEvents();
      const token = await pendingOf(prove);
      expect(await test.takeEventNames()).not.toContain('user.created');
      const { user, created, session } = await test.service.completeSignUp({ token, fields }, context);
      expect(created).toBe(true);
      expect(user.metadata).toEqual(stored);
      expect((await test.service.getSessionUser(session!.token)).id).toBe(user.id);
      expect(await test.takeEvents()).toContainEqual(
        expect.objectContaining({
          name: 'user.created',
          payload: expect.objectContaining({ userId: user.id, method }),
        }),
      );
    });

    it('corrects refused fields, and completes the sign-up once', async () => {
      const test = await makeRequiring();
      const { prove } = await proofs[name]!(test);
      const token = await pendingOf(prove);
      expect(
        await errorOf(() => test.service.completeSignUp({ token, fields: { company: 'x' } })),
      ).toMatchObject({
        code: 'invalid_request',
        reason: 'field_invalid',
        issues: [{ field: 'fields.company', message: expect.any(String) }],
      });
      const outcomes = await Promise.all(
        [1, 2, 3].map(() => outcomeOf(() => test.service.completeSignUp({ token, fields }, context))),
      );
      expect(outcomes.sort()).toEqual(['ok', 'token_invalid', 'token_invalid']);
    });
  });

  it('fields that are too large together with the metadata of the sign-up do not end it', async () => {
    const test = await makeRequiring();
    const email = uniqueEmail();
    const text = 'x'.repeat(5_000);
    await test.service.emailCode.sendCode({ email, metadata: { text } });
    const code = test.mail.lastCode(email)!;
    const token = await pendingOf(() => test.service.emailCode.verify({ email, code }, context));
    const complete = (company: string) =>
      test.service.completeSignUp({ token, fields: { company } }, context);
    expect(await outcomeOf(() => complete(text))).toBe('invalid_request');
    expect((await complete('Acme')).user.metadata).toEqual({ ...stored, text });
  });

  it('the account of an identity provider can sign in with it from then on', async () => {
    const test = await makeRequiring();
    const subject = account({ email: uniqueEmail(), email_verified: false });
    const { user } = await test.service.completeSignUp({
      token: await pendingOf(() => signIn(test, subject)),
      fields,
    });
    expect((await signIn(test, subject)).user.id).toBe(user.id);
  });

  it('existing users sign in without fields', async () => {
    const test = await makeRequiring();
    const email = uniqueEmail();
    await test.service.users.create({ email, emailVerified: true });
    await test.service.emailCode.sendCode({ email });
    const code = test.mail.lastCode(email)!;
    expect((await test.service.emailCode.verify({ email, code })).created).toBe(false);
  });

  it('fields that are all optional are stored as the schema completes them, without another step', async () => {
    const test = await makeRequiring({ fields: z.object({ newsletter: z.boolean().default(false) }) });
    const email = uniqueEmail();
    await test.service.emailCode.sendCode({ email, metadata: { plan: 'free' } });
    const { user } = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
    expect(user.metadata).toEqual({ newsletter: false, plan: 'free' });
  });

  it('never signs in to an account that was created after the proof', async () => {
    const test = await makeRequiring();
    const email = uniqueEmail();
    await test.service.emailCode.sendCode({ email });
    const code = test.mail.lastCode(email)!;
    const token = await pendingOf(() => test.service.emailCode.verify({ email, code }));
    await test.service.users.create({ email, emailVerified: true });
    expect(await outcomeOf(() => test.service.completeSignUp({ token, fields }))).toBe('email_exists');
  });

  it('expires after 30 minutes', async () => {
    const test = await makeRequiring();
    const { prove } = await proofs['a mailed link']!(test);
    const token = await pendingOf(prove);
    test.clock.advance(30 * minute);
    expect(await outcomeOf(() => test.service.completeSignUp({ token, fields }))).toBe('token_invalid');
  });

  it('allow is asked with the fields, and a closed sign-up refuses before it asks for them', async () => {
    const asked: SignUpCandidate[] = [];
    const open = await makeRequiring({ allow: (candidate) => asked.push(candidate) > 0 });
    const subject = account({ email: uniqueEmail(), email_verified: true });
    await open.service.completeSignUp({ token: await pendingOf(() => signIn(open, subject)), fields });
    expect(asked.map(({ method, fields, profile }) => [method, fields, profile?.id])).toEqual([
      ['google', stored, subject],
    ]);
    const closed = await makeRequiring({ enabled: false });
    expect(
      await outcomeOf(() => signIn(closed, account({ email: uniqueEmail(), email_verified: true }))),
    ).toBe('sign_up_disabled');
  });

  it('a passkey sign-up takes the fields at its start, and refuses without them', async () => {
    const { service } = await makeRequiring();
    const email = uniqueEmail();
    expect(await errorOf(() => service.webauthn.startSignUp({ email }))).toMatchObject({
      field: 'fields.company',
    });
    const { options, challenge } = await service.webauthn.startSignUp({ email, fields });
    const response = softwareAuthenticator({ origin: 'https://acme.test' }).create(options);
    const { user } = await service.webauthn.finishSignUp({ response, expectedChallenge: challenge });
    expect(user.metadata).toEqual(stored);
  });

  it('a guest needs no fields, and its upgrade does', async () => {
    const test = await makeRequiring();
    const { service } = test;
    const email = uniqueEmail();
    const { id: userId } = (await service.sessionsProvider.createGuest({ metadata: { cart: 3 } })).user;
    await service.emailCode.sendUpgradeCode({ userId, email });
    const code = test.mail.lastCode(email)!;
    expect(await errorOf(() => service.emailCode.upgradeGuest({ userId, email, code }))).toMatchObject({
      field: 'fields.company',
    });
    const { user } = await service.emailCode.upgradeGuest({ userId, email, code, fields });
    expect(user).toMatchObject({ id: userId, metadata: { cart: 3, ...stored } });
    const other = (await service.sessionsProvider.createGuest()).user.id;
    const credentials = { userId: other, email: uniqueEmail(), password: 'correct horse battery' };
    expect(await outcomeOf(() => service.emailPassword.upgradeGuest(credentials))).toBe('invalid_request');
    expect((await service.emailPassword.upgradeGuest({ ...credentials, fields })).user.metadata).toEqual(
      stored,
    );
  });

  it('completeSignUp needs signUp.fields, and refuses a token of another purpose', async () => {
    const without = await makePro();
    expect(await outcomeOf(() => without.service.completeSignUp({ token: 'x', fields }))).toBe(
      'provider_not_configured',
    );
    const test = await makeRequiring();
    const { url } = await test.service.magicLink.sendLink({ email: uniqueEmail() });
    const token = new URL(url).searchParams.get('token')!;
    expect(await outcomeOf(() => test.service.completeSignUp({ token, fields }))).toBe('token_invalid');
  });
});
