// The keys derived from session.secret (docs/security-requirements.md T14, A-69, C-8, C-9).
import { createHash, hkdfSync } from 'node:crypto';
import { createKeyring, sessionKey, type KeyPurpose } from '../../src/crypto/keys.js';

const secret = 'the secret that signs, of 32 bytes or more';
const old = 'the secret before it, of 32 bytes or more too';
const purposes: KeyPurpose[] = ['magic_link', 'password_reset', 'one_time_code', 'oauth_transaction'];
const bytes = (key: { export(): Buffer }) => key.export().toString('hex');

describe('createKeyring()', () => {
  it('sessions are signed with the secret itself, so that every service with the secret can verify them', () => {
    const [first] = createKeyring(secret).sessionKeys;
    expect(first.key.export().toString()).toBe(secret);
  });

  // T14
  it('every other purpose has its own key, which is not the secret', () => {
    const ring = createKeyring(secret);
    const keys = [ring.sessionKeys[0].key, ...purposes.map((purpose) => ring.subkeys(purpose)[0])];
    expect(new Set(keys.map(bytes)).size).toBe(purposes.length + 1);
  });

  // T14
  it.each(purposes)('the key for %s is derived with HKDF-SHA256', (purpose) => {
    const expected = Buffer.from(hkdfSync('sha256', secret, 'svc', `svc/v1/${purpose}`, 32)).toString('hex');
    expect(bytes(createKeyring(secret).subkeys(purpose)[0])).toBe(expected);
  });

  //
  it('the secret signs, and the previous secrets also verify, in their order', () => {
    const ring = createKeyring(secret, [old]);
    expect(ring.sessionKeys.map(({ key }) => key.export().toString())).toEqual([secret, old]);
    expect(ring.subkeys('magic_link').map(bytes)).toEqual([
      bytes(createKeyring(secret).subkeys('magic_link')[0]),
      bytes(createKeyring(old).subkeys('magic_link')[0]),
    ]);
  });

  it('the same secret always gives the same keys', () => {
    const ring = createKeyring(secret);
    expect(bytes(ring.subkeys('magic_link')[0])).toBe(bytes(ring.subkeys('magic_link')[0]));
    expect(bytes(ring.subkeys('magic_link')[0])).not.toBe(bytes(createKeyring(old).subkeys('magic_link')[0]));
  });
});

describe('key ids', () => {
  //
  it('a key id is 8 characters of a digest and does not reveal the secret', () => {
    const { kid } = sessionKey(secret);
    expect(kid).toBe(createHash('sha256').update(`kid${secret}`).digest('base64url').slice(0, 8));
    expect(secret).not.toContain(kid);
    expect(sessionKey(old).kid).not.toBe(kid);
  });
});
