// The sign-up policy: what `allow` receives and what its decision sets, the application's fields, the profile of an identity provider
// (docs/sign-up.md).
import * as z from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import type { ServiceConfig, SignUpCandidate } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures } from '../support/make-pro-service.js';
import { makeService, type Overrides } from '../support/make-service.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';
import { account, signIn, startProvider, withGoogle } from './google-provider.js';

type SignUp = NonNullable<ServiceConfig['signUp']>;

const password = 'correct horse battery';
const ip = '203.0.113.7';

startProvider();

describeAdapters('The sign-up policy', (on) => {
  const { uniqueEmail } = on;
  const { makePro } = proFixtures(on);

  /** A service whose `allow` records what it receives. */
  async function makeAsked(overrides: Overrides = {}, signUp: SignUp = {}) {
    const asked: SignUpCandidate[] = [];
    const allow: SignUp['allow'] = (candidate) => asked.push(candidate) > 0;
    const test = await makePro(withGoogle({ ...overrides, signUp: { allow, ...signUp } }));
    return { ...test, asked };
  }

  const nothing = {
    email: null,
    emailVerified: false,
    phone: null,
    profile: null,
    metadata: {},
    fields: {},
    ip,
  };

  describe('a template that fails', () => {
    const broken = () => {
      throw new Error('broken');
    };

    it.each(['template', 'refusedTemplate'])(
      'reveals no account by an error of `%s`, if only known addresses may get a code or link',
      async (name) => {
        const failing = name === 'template';
        const mail = failing ? { template: broken } : {};
        const made: { test?: Awaited<ReturnType<typeof makePro>> } = {};
        const sender = { send: async (message: never) => made.test!.mail.send(message) };
        const links = { baseUrl: 'https://app.test/in', sender, ...mail };
        const test = await makePro({
          signUp: { enabled: false, ...(!failing && { refusedTemplate: broken }) },
          providers: { emailCode: { sender, ...mail }, magicLink: links },
        });
        made.test = test;
        const known = uniqueEmail();
        await test.service.users.create({ email: known, emailVerified: true });
        for (const email of [known, uniqueEmail()]) {
          const { emailCode, magicLink } = test.service;
          expect(await outcomeOf(() => emailCode.sendCode({ email }))).toBe('ok');
          expect(await outcomeOf(() => magicLink.sendLink({ email }))).toBe('ok');
        }
        // The built-in mail works.
        const code = test.mail.lastCode(known)!;
        expect(await outcomeOf(() => test.service.emailCode.verify({ email: known, code }))).toBe('ok');
      },
    );
  });

  describe('allow', () => {
    it('receives the account that an email code and a magic link would create, when the mail is sent and when it is used', async () => {
      const test = await makeAsked();
      const [byCode, byLink] = [uniqueEmail(), uniqueEmail()];
      const metadata = { plan: 'free' };
      await test.service.emailCode.sendCode({ email: byCode, metadata }, { ip });
      await test.service.emailCode.verify({ email: byCode, code: test.mail.lastCode(byCode)! }, { ip });
      const { url } = await test.service.magicLink.sendLink({ email: byLink, metadata }, { ip });
      await test.service.magicLink.verify(new URL(url).searchParams.get('token')!, { ip });
      const ofCode = { ...nothing, method: 'email_code', email: byCode, emailVerified: true, metadata };
      const ofLink = { ...ofCode, method: 'magic_link', email: byLink };
      expect(test.asked).toEqual([ofCode, ofCode, ofLink, ofLink]);
    });

    it('receives an unverified address from a sign-up with a password, and null without an IP address', async () => {
      const test = await makeAsked();
      const email = uniqueEmail();
      await test.service.emailPassword.signup({ email, password, metadata: { plan: 'free' } });
      const candidate = {
        ...nothing,
        method: 'password_signup',
        email,
        metadata: { plan: 'free' },
        ip: null,
      };
      expect(test.asked).toEqual([candidate]);
      expect(JSON.stringify(test.asked)).not.toContain(password);
    });

    it('receives the metadata of a guest who is upgraded, and the phone number of an upgrade', async () => {
      const test = await makeAsked();
      const { sessionsProvider } = test.service;
      const { id: userId } = (await sessionsProvider.createGuest({ metadata: { cart: 3 } }, { ip })).user;
      const phone = `+1415${String(Date.now()).slice(-7).replace(/^[01]/, '2')}`;
      await sessionsProvider.upgrade({ userId, provider: 'phone', providerAccountId: phone });
      expect(test.asked).toEqual([
        { ...nothing, method: 'guest', metadata: { cart: 3 } },
        { ...nothing, method: 'guest_upgrade', phone, metadata: { cart: 3 }, ip: null },
      ]);
    });

    it('is not asked about a user who exists', async () => {
      const test = await makeAsked();
      const email = uniqueEmail();
      await test.service.emailPassword.signup({ email, password });
      const subject = account({ email, email_verified: true });
      await signIn(test, subject);
      await signIn(test, subject);
      await test.service.emailPassword.login({ email, password }).catch(() => undefined);
      expect(test.asked).toHaveLength(1);
    });

    it('cannot change the metadata by changing the candidate', async () => {
      const test = await makeAsked(
        {},
        {
          allow: (candidate) => {
            Object.assign(candidate.metadata, { admin: true });
            expect(() => Object.assign(candidate, { email: 'other@example.com' })).toThrow(TypeError);
            return true;
          },
        },
      );
      const email = uniqueEmail();
      const { user } = await test.service.emailPassword.signup({
        email,
        password,
        metadata: { plan: 'free' },
      });
      expect(user).toMatchObject({ email, metadata: { plan: 'free' } });
    });

    it('merges the metadata of its decision one level deep, and removes keys whose value is null', async () => {
      const decision = { metadata: { plan: 'pro', code: null, team: { id: 7 } } };
      const test = await makeAsked({}, { allow: () => decision, fields: z.object({ code: z.string() }) });
      const input = { email: uniqueEmail(), password, metadata: { source: 'ad', team: { id: 1 } } };
      const { user } = await test.service.emailPassword.signup({ ...input, fields: { code: 'secret' } });
      expect(user.metadata).toEqual({ source: 'ad', plan: 'pro', team: { id: 7 } });
      expect((await test.service.users.get(user.id)).metadata).toEqual(user.metadata);
    });

    it('keeps the roles of a guest in an upgrade unless the decision has roles', async () => {
      const roles = new Map<string, string[] | undefined>([['guest', ['visitor']]]);
      const allow: SignUp['allow'] = ({ method }) =>
        roles.has(method) ? { roles: roles.get(method)! } : true;
      const test = await makeAsked({}, { allow });
      const upgrade = async () => {
        const { id: userId } = (await test.service.sessionsProvider.createGuest()).user;
        await test.service.sessionsProvider.upgrade({ userId, provider: 'idp', providerAccountId: userId });
        return (await test.service.users.get(userId)).roles;
      };
      expect(await upgrade()).toEqual(['visitor']);
      roles.set('guest_upgrade', ['pro', 'member']);
      expect(await upgrade()).toEqual(['member', 'pro']);
    });
  });

  describe('the profile of an identity provider', () => {
    const claims = {
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
      picture: 'https://cdn.test/ada.png',
      locale: 'en-GB',
    };
    const person = {
      name: 'Ada Lovelace',
      givenName: 'Ada',
      familyName: 'Lovelace',
      picture: 'https://cdn.test/ada.png',
      locale: 'en-GB',
    };

    it('reaches allow and the event user.created, and is not kept by default', async () => {
      const test = await makeAsked();
      const email = uniqueEmail();
      const subject = account({ email, email_verified: true, ...claims });
      const { user } = await signIn(test, subject);
      expect(user.metadata).toEqual({});
      expect(test.asked).toEqual([
        {
          ...nothing,
          method: 'google',
          email,
          emailVerified: true,
          ip: null,
          profile: expect.objectContaining({ id: subject, email, emailVerified: true, ...person }) as unknown,
        },
      ]);
      const events = await test.takeEvents();
      expect(events).toContainEqual({
        name: 'user.created',
        payload: { userId: user.id, method: 'google', profile: person },
      });
    });

    it.each([
      ['true', true as const, { name: 'Ada Lovelace', picture: 'https://cdn.test/ada.png' }],
      ['a function', ({ givenName }: { givenName: string | null }) => ({ givenName }), { givenName: 'Ada' }],
      ['an asynchronous function', async () => ({ source: 'google' }), { source: 'google' }],
      ['false', false, {}],
    ])('is kept in the metadata of a new user with profileToMetadata: %s', async (_, option, metadata) => {
      const google = { ...(withGoogle().providers!.google as object), profileToMetadata: option } as object;
      const test = await makeAsked({ providers: { google } });
      const subject = account({ email: uniqueEmail(), email_verified: true, ...claims });
      const { user } = await signIn(test, subject);
      expect(user.metadata).toEqual(metadata);
      expect(test.asked[0]!.metadata).toEqual(metadata);
      // Only when the user is created.
      await test.service.users.update(user.id, { metadata: { own: 1 } });
      expect((await signIn(test, subject)).user.metadata).toEqual({ own: 1 });
    });

    it.each([
      ['throws', () => Promise.reject(new Error('no'))],
      ['returns nothing', () => undefined],
      ['returns a string', () => 'Ada'],
      ['returns more than 8 KB', () => ({ text: 'x'.repeat(9_000) })],
    ])('refuses the sign-in if profileToMetadata %s', async (_, option) => {
      const google = { ...(withGoogle().providers!.google as object), profileToMetadata: option } as object;
      const test = await makeAsked({ providers: { google } });
      const email = uniqueEmail();
      const subject = account({ email, email_verified: true, ...claims });
      expect(await outcomeOf(() => signIn(test, subject))).toBe('oauth_error');
      expect(await test.service.users.find({ email })).toBeNull();
    });

    it('drops values that are too long or cannot be stored', async () => {
      const google = { ...(withGoogle().providers!.google as object), profileToMetadata: true };
      const test = await makeAsked({ providers: { google } });
      const picture = `data:image/png;base64,${'A'.repeat(9_000)}`;
      const subject = account({ email: uniqueEmail(), email_verified: true, name: 'A\0da', picture });
      const { user } = await signIn(test, subject);
      expect(user.metadata).toEqual({});
    });
  });

  describe('sessions with guests: false', () => {
    it('creates no guest, and upgrades those that exist', async () => {
      const before = await makePro();
      const { id: userId } = (await before.service.sessionsProvider.createGuest()).user;
      const test = await makePro({ providers: { sessions: { guests: false } } });
      const { sessionsProvider } = test.service;
      expect(await outcomeOf(() => sessionsProvider.createGuest())).toBe('sign_up_disabled');
      const upgrade = { userId, provider: 'idp', providerAccountId: userId };
      expect(await outcomeOf(() => sessionsProvider.upgrade(upgrade))).toBe('ok');
    });
  });
});

describe('signUp.fields', () => {
  const schemas: Record<string, SignUp['fields']> = {
    'zod 4': z.object({ company: z.string().trim().min(1), size: z.number().default(1) }),
    'zod 3': z3.object({ company: z3.string().trim().min(1), size: z3.number().default(1) }),
    'zod mini': mini.object({
      company: mini.string().check(mini.trim(), mini.minLength(1)),
      size: mini._default(mini.number(), 1),
    }),
    'a strict zod object': z.strictObject({ company: z.string().trim().min(1), size: z.number().default(1) }),
    'a Standard Schema': { '~standard': { validate: (input) => validated(input) } },
    'an asynchronous Standard Schema': { '~standard': { validate: async (input) => validated(input) } },
    'an object with safeParse': {
      safeParse(input) {
        const { value, issues } = validated(input);
        return value ? { success: true, data: value } : { success: false, error: { issues } };
      },
    },
  };

  function validated(input: unknown): { value?: object; issues?: object[] } {
    const { company, size = 1 } = input as { company?: unknown; size?: unknown };
    if (typeof company !== 'string' || company.trim() === '')
      return { issues: [{ path: [{ key: 'company' }] }] };
    return { value: { company: company.trim(), size } };
  }

  const email = 'ada@example.com';

  it.each(Object.entries(schemas))(
    '%s checks the fields, and their result is stored and reaches allow',
    async (_, fields) => {
      const asked: SignUpCandidate[] = [];
      const test = await makeService({ signUp: { fields, allow: (candidate) => asked.push(candidate) > 0 } });
      const signup = (given?: object) =>
        test.service.emailPassword.signup({ email, password, ...(given && { fields: given as never }) });
      for (const invalid of [undefined, {}, { company: 7 }, { company: ' ' }]) {
        expect(await errorOf(() => signup(invalid))).toMatchObject({
          code: 'invalid_request',
          field: 'fields.company',
          reason: 'field_invalid',
        });
      }
      const misspelled = await errorOf(() => signup({ company: 'Acme', colour: 'red' }));
      expect(misspelled).toMatchObject({ code: 'invalid_request' });
      expect(misspelled['field']).toMatch(/^fields(\.colour)?$/);
      expect(asked).toEqual([]);
      const { user } = await signup({ company: ' Acme ' });
      expect(user.metadata).toEqual({ company: 'Acme', size: 1 });
      expect(asked[0]).toMatchObject({ fields: user.metadata, metadata: user.metadata });
    },
  );

  it('does not replace metadata that the application sets', async () => {
    const fields = z.object({ plan: z.string(), company: z.string() });
    const { service } = await makeService({ signUp: { fields } });
    const input = { email, password, metadata: { plan: 'free' }, fields: { plan: 'pro', company: 'Acme' } };
    expect((await service.emailPassword.signup(input)).user.metadata).toEqual({
      plan: 'free',
      company: 'Acme',
    });
  });

  it('refuses fields if the configuration has none, and reserved and overlong ones', async () => {
    const { service } = await makeService();
    const none = await errorOf(() =>
      service.emailPassword.signup({ email, password, fields: { company: 'Acme' } }),
    );
    expect(none).toMatchObject({ code: 'invalid_request', field: 'fields.company', reason: 'field_unknown' });
    expect(await outcomeOf(() => service.emailPassword.signup({ email, password, fields: {} }))).toBe('ok');
    const loose = await makeService({ signUp: { fields: z.looseObject({}) } });
    for (const fields of [{ __svc: 1 }, { constructor: 1 }, { text: 'x'.repeat(9_000) }, { text: 'nul\0' }]) {
      expect(await outcomeOf(() => loose.service.emailPassword.signup({ email, password, fields }))).toBe(
        'invalid_request',
      );
    }
    const strange = await errorOf(() =>
      service.emailPassword.signup({ email, password, fields: { 'a b\n': 1 } }),
    );
    expect(strange['field']).toBe('fields');
  });

  it.each([
    ['throws', { safeParse: () => throwing() }],
    ['rejects', { '~standard': { validate: () => Promise.reject(new Error('no')) } }],
    ['returns nothing', { safeParse: () => undefined }],
  ])('creates no account if the schema %s', async (_, fields) => {
    const { service } = await makeService({ signUp: { fields } });
    expect(await outcomeOf(() => service.emailPassword.signup({ email, password }))).toBe('internal_error');
    expect(await service.users.find({ email })).toBeNull();
  });

  it('reveals whether an address has an account only after the fields are valid', async () => {
    const { service } = await makeService({ signUp: { fields: z.object({ company: z.string() }) } });
    const signup = (fields: Record<string, unknown>) =>
      service.emailPassword.signup({ email, password, fields });
    await signup({ company: 'Acme' });
    expect(await outcomeOf(() => signup({}))).toBe('invalid_request');
    expect(await outcomeOf(() => signup({ company: 'Acme' }))).toBe('email_exists');
  });
});

function throwing(): never {
  throw new Error('the schema is broken');
}
