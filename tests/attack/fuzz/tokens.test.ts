// Everything signed that travels by mail, cookie or header: no change of a good one makes a good one, and none is worth a crash.
import fc from 'fast-check';
import { formatApiKey, parseApiKey } from '../../../src/crypto/api-key-format.js';
import { createKeyring, type KeyPurpose } from '../../../src/crypto/keys.js';
import { generateLicenseKeys, openLicense, signLicense } from '../../../src/crypto/license-token.js';
import { openToken, signToken } from '../../../src/crypto/signed-token.js';
import { codeAt } from '../../support/authenticator-app.js';
import { license, nobody, proProviders } from '../../support/make-pro-service.js';
import { makeService, type TestService } from '../../support/make-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import { anyMutations, anyText, anyValue, mutate } from './arbitraries.js';
import { holds } from './pass.js';

const keys = createKeyring('a secret of these tests, 32 bytes or more', [
  'an older one of these tests, 32 bytes or more',
]);
const now = 1_700_000_000_000;
const purposes: KeyPurpose[] = [
  'magic_link',
  'password_reset',
  'oauth_transaction',
  'org_invite',
  'second_factor',
];
const purpose = fc.constantFrom(...purposes);

describe('A signed token', () => {
  const signed = purposes.map((each) => signToken(keys, each, 'ada@example.com', now + 1).token);

  holds(
    'is invalid after any change of it',
    () =>
      fc.property(fc.nat(4), anyMutations, (which, changes) => {
        const changed = mutate(signed[which]!, changes, signed);
        const { status } = openToken(keys, purposes[which]!, changed, now);
        expect(status).toBe(changed === signed[which] ? 'valid' : 'invalid');
      }),
    { runs: 2_000 },
  );

  holds(
    'says what was signed, for its purpose alone and until its very end',
    () =>
      fc.property(
        purpose,
        purpose,
        fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }),
        fc.nat(),
        (a, b, subject, end) => {
          const { token, digest } = signToken(keys, a, subject, end);
          const opened = { subject, digest, expiresAt: end };
          expect(openToken(keys, b, token, end)).toEqual(
            a === b ? { status: 'expired', ...opened } : { status: 'invalid' },
          );
          if (a === b) expect(openToken(keys, a, token, end - 1)).toEqual({ status: 'valid', ...opened });
        },
      ),
    { runs: 300 },
  );

  holds('is invalid where it is any other value', () =>
    fc.property(purpose, anyValue, (each, value) => {
      expect(openToken(keys, each, value, now)).toEqual({ status: 'invalid' });
    }),
  );
});

describe('The text of an API key', () => {
  const { key } = formatApiKey(nobody);
  const others = [formatApiKey(nobody).key, formatApiKey(nobody.replace('1', '2')).key];

  holds(
    'is no key after any change of it',
    () =>
      fc.property(anyMutations, (changes) => {
        const changed = mutate(key, changes, others);
        // A whole other key is one.
        if (!others.includes(changed)) expect(parseApiKey(changed) === null).toBe(changed !== key);
      }),
    { runs: 2_000 },
  );

  holds('comes back as the id that it was made for', () =>
    fc.property(fc.uuid(), (id) => {
      const made = formatApiKey(id);
      expect(parseApiKey(made.key)).toEqual({ id, secret: made.secret });
    }),
  );

  holds('is no key where it is any other value', () =>
    fc.property(anyValue, (value) => expect(parseApiKey(value)).toBeNull()),
  );
});

describe('A licence', () => {
  const pair = generateLicenseKeys();
  const content = {
    product: 'svc-auth',
    tier: 'pro',
    holder: 'Acme',
    issuedAt: '2026-01-01',
    expiresAt: '2199-01-01',
  } as const;
  const good = signLicense(content, pair.privateKey);
  const others = [signLicense({ ...content, holder: 'Other' }, pair.privateKey)];

  holds(
    'is none after any change of it but white space around it',
    () =>
      fc.property(anyMutations, (changes) => {
        const changed = mutate(good, changes, others);
        const isGood = [good, ...others].includes(changed.trim());
        expect(openLicense(changed, pair.publicKey) !== null).toBe(isGood);
      }),
    { runs: 1_500 },
  );

  holds('is none where its content is any other JSON, however well signed', () =>
    fc.property(fc.jsonValue(), (any) => {
      expect(openLicense(signLicense(any as never, pair.privateKey), pair.publicKey)).toBeNull();
    }),
  );

  holds('is none where it is any other text', () =>
    fc.property(anyText, (text) => expect(openLicense(text, pair.publicKey)).toBeNull()),
  );
});

describe('A service', () => {
  const newPassword = 'battery staple';
  let test: TestService;
  let good: Record<string, string>;
  let checks: Record<string, (token: string) => Promise<unknown>>;
  /** What a token of one kind is as another. */
  const refusals: Record<string, string> = {
    ...{ reset: 'token_invalid', link: 'token_invalid', invite: 'token_invalid', session: 'token_invalid' },
    ...{ refresh: 'refresh_token_invalid', key: 'api_key_invalid', mfa: 'token_invalid' },
  };
  const kinds = Object.keys(refusals);

  beforeAll(async () => {
    test = await makeService({
      ...license,
      encryptionKey: 'the key of these tests, 32 bytes or more',
      providers: { ...proProviders, totp: true },
    });
    const { service, mail, clock } = test;
    const email = 'ada@example.com';
    await service.emailCode.sendCode({ email });
    const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
    const mailed = () => new URL(mail.lastLink(email)!).searchParams.get('token')!;
    const { org } = await service.orgs.create({ name: 'Acme', ownerUserId: user.id });
    const invite = (await service.orgs.invite({ orgId: org.id, email })).token;
    const { key } = await service.apiKeys.create({ userId: user.id, name: 'ci' });
    const { secret } = await service.totp.beginEnrollment(user.id);
    await service.totp.confirmEnrollment(user.id, codeAt(secret, clock.now()));
    // Past the end of all sessions by the enrolment, and on to a code that was not used.
    clock.advance(30_000);
    await service.emailPassword.requestReset({ email });
    await service.close();
    const reset = mailed();
    await service.magicLink.sendLink({ email });
    const link = mailed();
    await service.emailCode.sendCode({ email });
    const code = mail.lastCode(email)!;
    const { pending } = await service.emailCode.verify({ email, code }, { startSession: true });
    const refresh = (await service.refresh.issue({ userId: user.id })).refreshToken;
    const session = service.createSessionToken(user.id).token;
    good = { reset, link, invite, session, refresh, key, mfa: pending!.token };
    checks = {
      reset: (token) => service.emailPassword.setPassword({ token, newPassword }),
      link: (token) => service.magicLink.verify(token),
      invite: (token) => service.orgs.acceptInvite(token, user.id),
      session: (token) => service.getSessionUser(token),
      refresh: (token) => service.refresh.refresh(token),
      key: (token) => service.apiKeys.verify(token),
      mfa: (token) => service.totp.finishSignIn({ token, code: codeAt(secret, clock.now()) }),
    };
  });

  holds(
    'refuses every token that is changed, and each as what it is not',
    () =>
      fc.asyncProperty(
        fc.constantFrom(...kinds),
        fc.constantFrom(...kinds),
        fc.option(anyMutations),
        async (as, of, changes) => {
          const token = mutate(good[of]!, changes ?? [], Object.values(good));
          fc.pre(token !== good[as]);
          expect(await outcomeOf(() => checks[as]!(token))).toBe(refusals[as]);
        },
      ),
    { runs: 1_500 },
  );

  it('takes each as what it is, after all that', async () => {
    for (const kind of ['session', 'key', 'refresh', 'invite', 'mfa', 'link', 'reset'])
      expect({ [kind]: await outcomeOf(() => checks[kind]!(good[kind]!)) }).toEqual({ [kind]: 'ok' });
  });
});
