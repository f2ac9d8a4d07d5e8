// Signed tokens in mails, cookies and headers: no mutation of a valid one is valid, and none causes a crash.
import fc from 'fast-check';
import { formatApiKey, parseApiKey } from '../../../src/crypto/api-key-format.js';
import { createKeyring, type KeyPurpose } from '../../../src/crypto/keys.js';
import { generateLicenseKeys, openLicense, signLicense } from '../../../src/crypto/license-token.js';
import { openToken, signToken } from '../../../src/crypto/signed-token.js';
import { codeAt } from '../../support/authenticator-app.js';
import { license, unknownId, proProviders } from '../../support/make-pro-service.js';
import { makeService, type TestService } from '../../support/make-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import { anyMutations, anyText, anyValue, mutate } from './arbitraries.js';
import { itHolds } from './pass.js';

const keys = createKeyring('a secret of these tests, 32 bytes or more', [
  'an older secret of these tests, 32 bytes or more',
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

describe('Signed token', () => {
  const signed = purposes.map((each) => signToken(keys, each, 'ada@example.com', now + 1).token);

  itHolds(
    'rejects a signed token after any mutation',
    () =>
      fc.property(fc.nat(4), anyMutations, (which, changes) => {
        const changed = mutate(signed[which]!, changes, signed);
        const { status } = openToken(keys, purposes[which]!, changed, now);
        expect(status).toBe(changed === signed[which] ? 'valid' : 'invalid');
      }),
    { runs: 2_000 },
  );

  itHolds(
    'returns the signed subject, only for its purpose and until its expiry',
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

  itHolds('rejects any other value as a signed token', () =>
    fc.property(purpose, anyValue, (each, value) => {
      expect(openToken(keys, each, value, now)).toEqual({ status: 'invalid' });
    }),
  );
});

describe('API key format', () => {
  const { key } = formatApiKey(unknownId);
  const others = [formatApiKey(unknownId).key, formatApiKey(unknownId.replace('1', '2')).key];

  itHolds(
    'rejects an API key after any mutation',
    () =>
      fc.property(anyMutations, (changes) => {
        const changed = mutate(key, changes, others);
        // Another valid key is accepted.
        if (!others.includes(changed)) expect(parseApiKey(changed) === null).toBe(changed !== key);
      }),
    { runs: 2_000 },
  );

  itHolds('returns the id and secret of a formatted key', () =>
    fc.property(fc.uuid(), (id) => {
      const formatted = formatApiKey(id);
      expect(parseApiKey(formatted.key)).toEqual({ id, secret: formatted.secret });
    }),
  );

  itHolds('rejects any other value as an API key', () =>
    fc.property(anyValue, (value) => expect(parseApiKey(value)).toBeNull()),
  );
});

describe('License', () => {
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

  itHolds(
    'rejects a license after any mutation except surrounding white space',
    () =>
      fc.property(anyMutations, (changes) => {
        const changed = mutate(good, changes, others);
        const isGood = [good, ...others].includes(changed.trim());
        expect(openLicense(changed, pair.publicKey) !== null).toBe(isGood);
      }),
    { runs: 1_500 },
  );

  itHolds('rejects a correctly signed license with any other JSON content', () =>
    fc.property(fc.jsonValue(), (any) => {
      expect(openLicense(signLicense(any as never, pair.privateKey), pair.publicKey)).toBeNull();
    }),
  );

  itHolds('rejects any other string as a license', () =>
    fc.property(anyText, (text) => expect(openLicense(text, pair.publicKey)).toBeNull()),
  );
});

describe('Token separation', () => {
  const newPassword = 'battery staple';
  let test: TestService;
  let good: Record<string, string>;
  let checks: Record<string, (token: string) => Promise<unknown>>;
  /** The error code for a token of one kind presented as another kind. */
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
    // After the revocation of all sessions by the enrollment, at an unused code.
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

  itHolds(
    'rejects every mutated token, and every token presented as another kind',
    () =>
      fc.asyncProperty(
        fc.constantFrom(...kinds),
        fc.constantFrom(...kinds),
        fc.option(anyMutations),
        async (presentedAs, kind, changes) => {
          const token = mutate(good[kind]!, changes ?? [], Object.values(good));
          fc.pre(token !== good[presentedAs]);
          expect(await outcomeOf(() => checks[presentedAs]!(token))).toBe(refusals[presentedAs]);
        },
      ),
    { runs: 1_500 },
  );

  it('accepts each valid token as its own kind after all rejections', async () => {
    for (const kind of ['session', 'key', 'refresh', 'invite', 'mfa', 'link', 'reset'])
      expect({ [kind]: await outcomeOf(() => checks[kind]!(good[kind]!)) }).toEqual({ [kind]: 'ok' });
  });
});
