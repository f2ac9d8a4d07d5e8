// Tokens that travel by mail or cookie (specification 5.3, 5.4; docs/security-requirements.md, C-17, T14).
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import jwt from 'jsonwebtoken';
import { createKeyring, type KeyPurpose } from '../../src/crypto/keys.js';
import { lengthPrefixed, mac } from '../../src/crypto/digest.js';
import { openToken, signToken } from '../../src/crypto/signed-token.js';

const secret = 'the secret that signs, of 32 bytes or more';
const keys = createKeyring(secret);
const now = 1_700_000_000_000;
const expiresAt = now + 60_000;
const subject = 'ada@example.com';
const purposes: KeyPurpose[] = ['magic_link', 'password_reset', 'one_time_code', 'oauth_transaction'];
const sign = (to = subject, purpose: KeyPurpose = 'magic_link') => signToken(keys, purpose, to, expiresAt);
const open = (token: unknown, purpose: KeyPurpose = 'magic_link', at = now) =>
  openToken(keys, purpose, token, at);
const statusOf = (token: unknown) => open(token).status;
const halves = (token: string) => token.split('.') as [string, string];
/** A token whose MAC is right and whose body is anything. */
const signedBody = (...parts: (string | Buffer)[]) => {
  const body = lengthPrefixed(parts);
  const signature = mac(keys.subkeys('magic_link')[0], body);
  return `${body.toString('base64url')}.${signature.toString('base64url')}`;
};

describe('A signed token', () => {
  it('opens to its subject, its expiry and the digest that the store keeps', () => {
    const { token, digest } = sign();
    expect(open(token)).toEqual({ status: 'valid', subject, digest, expiresAt });
  });

  it('A-28 keeps its random part to itself: the store has a digest of it', () => {
    const { token, digest } = sign();
    const body = Buffer.from(halves(token)[0], 'base64url');
    expect(createHash('sha256').update(body.subarray(-32)).digest('base64url')).toBe(digest);
    expect(token).not.toContain(digest);
  });

  it('A-23 differs every time, for the same subject and expiry', () => {
    const tokens = Array.from({ length: 1000 }, () => sign());
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(1000);
    expect(new Set(tokens.map(({ digest }) => digest)).size).toBe(1000);
  });

  it('A-25 is expired from the very millisecond of its expiry', () => {
    const { token } = sign();
    expect(open(token, 'magic_link', expiresAt - 1).status).toBe('valid');
    expect(open(token, 'magic_link', expiresAt).status).toBe('expired');
    expect(open(token, 'magic_link', expiresAt + 1).status).toBe('expired');
  });

  it('survives any subject', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), (any) => {
        expect(open(sign(any).token)).toMatchObject({ status: 'valid', subject: any });
      }),
      { numRuns: 300 },
    );
  });
});

describe('A changed token', () => {
  it('A-31 is invalid with another address in it', () => {
    const [body, signature] = halves(sign('victim@example.com').token);
    const changed = Buffer.from(body, 'base64url').toString('latin1').replace('victim', 'mallet');
    expect(statusOf(`${Buffer.from(changed, 'latin1').toString('base64url')}.${signature}`)).toBe('invalid');
  });

  it('A-31 is invalid spliced of two', () => {
    const [bodyOfOne] = halves(sign('victim@example.com').token);
    const [, signatureOfOther] = halves(sign('mallet@example.com').token);
    expect(statusOf(`${bodyOfOne}.${signatureOfOther}`)).toBe('invalid');
  });

  it('is invalid with a later expiry', () => {
    const [body, signature] = halves(sign().token);
    const later = Buffer.from(body, 'base64url')
      .toString('latin1')
      .replace(String(expiresAt), String(expiresAt + 1));
    expect(statusOf(`${Buffer.from(later, 'latin1').toString('base64url')}.${signature}`)).toBe('invalid');
  });

  it('is invalid wherever one character changes', () => {
    const { token } = sign();
    const survivors = [...token].flatMap((character, i) => {
      const other = character === 'A' ? 'B' : 'A';
      return statusOf(token.slice(0, i) + other + token.slice(i + 1)) === 'invalid' ? [] : [i];
    });
    expect(survivors).toEqual([]);
  });

  it.each([
    ['padding', (token: string) => `${token}=`],
    ['padding in its body', (token: string) => token.replace('.', '=.')],
    ['a line break', (token: string) => `${token}\n`],
    ['a space in front', (token: string) => ` ${token}`],
    ['a space inside', (token: string) => token.replace('.', ' .')],
    ['a part more', (token: string) => `${token}.AAAA`],
    ['a dot more', (token: string) => `${token}.`],
    ['the other base64 alphabet', (token: string) => token.replaceAll('-', '+').replaceAll('_', '/')],
  ])('has no second form: %s', (_name, change) => {
    // A token in which the last case changes something.
    const { token } = Array.from({ length: 50 }, () => sign()).find((each) => /[-_]/.test(each.token))!;
    expect(statusOf(token)).toBe('valid');
    expect(statusOf(change(token))).toBe('invalid');
  });

  it('has no second form in the unused bits of its last character', () => {
    const { token } = sign();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const forms = [...alphabet].filter((last) => statusOf(token.slice(0, -1) + last) === 'valid');
    expect(forms).toEqual([token.at(-1)]);
  });

  it('A-68 is invalid, not a crash, with a MAC of any length', () => {
    const [body, signature] = halves(sign().token);
    for (const bytes of [1, 16, 31, 33, 64, 1000]) {
      expect(statusOf(`${body}.${Buffer.alloc(bytes, 1).toString('base64url')}`)).toBe('invalid');
    }
    expect(statusOf(`${body}.`)).toBe('invalid');
    expect(statusOf(`.${signature}`)).toBe('invalid');
    expect(statusOf(body)).toBe('invalid');
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 1],
    ['an object', { token: 'x' }],
    ['a list', ['x']],
    ['nothing', ''],
    ['a dot', '.'],
    ['a megabyte', `${'A'.repeat(500_000)}.${'A'.repeat(500_000)}`],
  ])('is invalid as %s', (_name, token) => {
    expect(statusOf(token)).toBe('invalid');
  });

  it('is invalid where its body makes no sense, although its MAC is right', () => {
    const random = Buffer.alloc(32);
    expect(statusOf(signedBody('1', 'magic_link', subject, String(expiresAt), random))).toBe('valid');
    expect(statusOf(signedBody('2', 'magic_link', subject, String(expiresAt), random))).toBe('invalid');
    expect(statusOf(signedBody('1', 'password_reset', subject, String(expiresAt), random))).toBe('invalid');
    expect(statusOf(signedBody('1', 'magic_link', subject))).toBe('invalid');
    expect(statusOf(signedBody())).toBe('invalid');
    // An expiry that is no number must not be one that never comes.
    expect(statusOf(signedBody('1', 'magic_link', subject, 'never', random))).not.toBe('valid');
  });
});

describe('A token made for something else', () => {
  const pairs = purposes.flatMap((made) => purposes.map((used) => [made, used] as const));

  it.each(pairs)('T14 A-27 made for %s is worth its own purpose only, asked for %s', (made, used) => {
    expect(open(sign(subject, made).token, used).status).toBe(made === used ? 'valid' : 'invalid');
  });

  it('T14 is invalid as a JWT with the same secret', () => {
    expect(statusOf(jwt.sign({ sub: subject, use: 'session' }, secret))).toBe('invalid');
  });

  it('is invalid under another secret', () => {
    const other = createKeyring('another secret that signs, 32 bytes or more');
    expect(openToken(other, 'magic_link', sign().token, now).status).toBe('invalid');
  });
});

describe('Rotation of the secret', () => {
  const fresh = 'the new secret that signs, of 32 bytes or more';

  it('A-69 leaves tokens of the previous secret good and signs with the new one', () => {
    const rotated = createKeyring(fresh, [secret]);
    expect(openToken(rotated, 'magic_link', sign().token, now)).toMatchObject({ status: 'valid', subject });
    const { token } = signToken(rotated, 'magic_link', subject, expiresAt);
    expect(openToken(createKeyring(fresh), 'magic_link', token, now).status).toBe('valid');
    expect(open(token).status).toBe('invalid');
  });

  it('A-69 ends them when the previous secret is taken away', () => {
    expect(openToken(createKeyring(fresh), 'magic_link', sign().token, now).status).toBe('invalid');
  });
});
