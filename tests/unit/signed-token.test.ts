// Tokens in mails and cookies (specification 5.3, 5.4; docs/security-requirements.md,
// C-17, T14).
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
/** Creates a token with a valid MAC and any body. */
const signedBody = (...parts: (string | Buffer)[]) => {
  const body = lengthPrefixed(parts);
  const signature = mac(keys.subkeys('magic_link')[0], body);
  return `${body.toString('base64url')}.${signature.toString('base64url')}`;
};

describe('signToken() and openToken()', () => {
  it('a signed token opens to its subject, its expiry and the stored digest', () => {
    const { token, digest } = sign();
    expect(open(token)).toEqual({ status: 'valid', subject, digest, expiresAt });
  });

  //
  it('only a digest of the random part is stored', () => {
    const { token, digest } = sign();
    const body = Buffer.from(halves(token)[0], 'base64url');
    expect(createHash('sha256').update(body.subarray(-32)).digest('base64url')).toBe(digest);
    expect(token).not.toContain(digest);
  });

  //
  it('signed tokens with the same subject and expiry differ', () => {
    const tokens = Array.from({ length: 1000 }, () => sign());
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(1000);
    expect(new Set(tokens.map(({ digest }) => digest)).size).toBe(1000);
  });

  //
  it('a signed token is expired from the millisecond of its expiry', () => {
    const { token } = sign();
    expect(open(token, 'magic_link', expiresAt - 1).status).toBe('valid');
    expect(open(token, 'magic_link', expiresAt).status).toBe('expired');
    expect(open(token, 'magic_link', expiresAt + 1).status).toBe('expired');
  });

  it('a signed token preserves any subject', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), (any) => {
        expect(open(sign(any).token)).toMatchObject({ status: 'valid', subject: any });
      }),
      { numRuns: 300 },
    );
  });
});

describe('changed and malformed tokens', () => {
  //
  it('a token with another address is invalid', () => {
    const [body, signature] = halves(sign('victim@example.com').token);
    const changed = Buffer.from(body, 'base64url').toString('latin1').replace('victim', 'mallet');
    expect(statusOf(`${Buffer.from(changed, 'latin1').toString('base64url')}.${signature}`)).toBe('invalid');
  });

  //
  it('a token spliced from two tokens is invalid', () => {
    const [bodyOfOne] = halves(sign('victim@example.com').token);
    const [, signatureOfOther] = halves(sign('mallet@example.com').token);
    expect(statusOf(`${bodyOfOne}.${signatureOfOther}`)).toBe('invalid');
  });

  it('a token with a later expiry is invalid', () => {
    const [body, signature] = halves(sign().token);
    const later = Buffer.from(body, 'base64url')
      .toString('latin1')
      .replace(String(expiresAt), String(expiresAt + 1));
    expect(statusOf(`${Buffer.from(later, 'latin1').toString('base64url')}.${signature}`)).toBe('invalid');
  });

  it('a token with any changed character is invalid', () => {
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
  ])('a token has no second valid form: %s', (_name, change) => {
    // A token that contains a character of the last case.
    const { token } = Array.from({ length: 50 }, () => sign()).find((each) => /[-_]/.test(each.token))!;
    expect(statusOf(token)).toBe('valid');
    expect(statusOf(change(token))).toBe('invalid');
  });

  it('the unused bits of the last character of a token allow no second form', () => {
    const { token } = sign();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const forms = [...alphabet].filter((last) => statusOf(token.slice(0, -1) + last) === 'valid');
    expect(forms).toEqual([token.at(-1)]);
  });

  //
  it('a token with a MAC of another length is invalid and does not throw', () => {
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
  ])('a token given as %s is invalid', (_name, token) => {
    expect(statusOf(token)).toBe('invalid');
  });

  it('a token with a valid MAC and a malformed body is invalid', () => {
    const random = Buffer.alloc(32);
    expect(statusOf(signedBody('1', 'magic_link', subject, String(expiresAt), random))).toBe('valid');
    expect(statusOf(signedBody('2', 'magic_link', subject, String(expiresAt), random))).toBe('invalid');
    expect(statusOf(signedBody('1', 'password_reset', subject, String(expiresAt), random))).toBe('invalid');
    expect(statusOf(signedBody('1', 'magic_link', subject))).toBe('invalid');
    expect(statusOf(signedBody())).toBe('invalid');
    // An expiry that is not a number must not mean a token without expiry.
    expect(statusOf(signedBody('1', 'magic_link', subject, 'never', random))).not.toBe('valid');
  });
});

describe('tokens of another purpose or secret', () => {
  const pairs = purposes.flatMap((signedFor) => purposes.map((openedFor) => [signedFor, openedFor] as const));

  // T14, A-27
  it.each(pairs)(
    'a token for %s is valid only for its own purpose, checked for %s',
    (signedFor, openedFor) => {
      expect(open(sign(subject, signedFor).token, openedFor).status).toBe(
        signedFor === openedFor ? 'valid' : 'invalid',
      );
    },
  );

  // T14
  it('a JWT with the same secret is not a signed token', () => {
    expect(statusOf(jwt.sign({ sub: subject, use: 'session' }, secret))).toBe('invalid');
  });

  it('a signed token is invalid with another secret', () => {
    const other = createKeyring('another secret that signs, 32 bytes or more');
    expect(openToken(other, 'magic_link', sign().token, now).status).toBe('invalid');
  });
});

describe('rotation of the secret', () => {
  const fresh = 'the new secret that signs, of 32 bytes or more';

  //
  it('tokens of the previous secret remain valid, and the new secret signs', () => {
    const rotated = createKeyring(fresh, [secret]);
    expect(openToken(rotated, 'magic_link', sign().token, now)).toMatchObject({ status: 'valid', subject });
    const { token } = signToken(rotated, 'magic_link', subject, expiresAt);
    expect(openToken(createKeyring(fresh), 'magic_link', token, now).status).toBe('valid');
    expect(open(token).status).toBe('invalid');
  });

  //
  it('tokens of the previous secret become invalid when it is removed', () => {
    expect(openToken(createKeyring(fresh), 'magic_link', sign().token, now).status).toBe('invalid');
  });
});
