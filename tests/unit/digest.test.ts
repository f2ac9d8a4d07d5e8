// Digests, MACs and their comparison (docs/security-requirements.md A-68, C-17).
import { createHash, createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { constantTimeEqual, lengthPrefixed, mac, sha256 } from '../../src/crypto/digest.js';

const key = createSecretKey(Buffer.alloc(32, 7));

describe('sha256()', () => {
  it('sha256() returns a SHA-256 digest in base64url', () => {
    expect(sha256('abc')).toBe(createHash('sha256').update('abc').digest('base64url'));
    expect(sha256('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});

describe('mac()', () => {
  it('mac() is HMAC-SHA256 over its parts, each preceded by its length', () => {
    const input = Buffer.from([0, 2, 0x61, 0x62, 0, 0, 0, 1, 0x63]);
    expect(mac(key, 'ab', '', 'c')).toEqual(createHmac('sha256', key).update(input).digest());
  });

  // C-17
  it('mac() has a different input for every list of parts', () => {
    const parts = fc.array(fc.string({ maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const same = a.length === b.length && a.every((part, i) => part === b[i]);
        expect(lengthPrefixed(a).equals(lengthPrefixed(b))).toBe(same);
      }),
      { numRuns: 2000 },
    );
    // Concatenation, with or without a separator, would not distinguish these lists.
    expect(mac(key, 'a', 'bc')).not.toEqual(mac(key, 'ab', 'c'));
    expect(mac(key, 'a|b', 'c')).not.toEqual(mac(key, 'a', 'b|c'));
    expect(mac(key, 'a')).not.toEqual(mac(key, 'a', ''));
  });

  it('mac() counts the length of a string in bytes', () => {
    expect(lengthPrefixed(['€'])).toEqual(Buffer.from([0, 3, 0xe2, 0x82, 0xac]));
  });
});

describe('constantTimeEqual()', () => {
  //
  it('constantTimeEqual() returns false for unequal lengths and does not throw', () => {
    expect(constantTimeEqual(Buffer.alloc(32), Buffer.alloc(31))).toBe(false);
    expect(constantTimeEqual('', 'a')).toBe(false);
    expect(constantTimeEqual('a'.repeat(5000), 'a')).toBe(false);
  });

  it('constantTimeEqual() distinguishes equal from unequal strings', () => {
    expect(constantTimeEqual('abc', 'abc')).toBe(true);
    expect(constantTimeEqual('abc', 'abd')).toBe(false);
    expect(constantTimeEqual('', '')).toBe(true);
    expect(constantTimeEqual('é', 'e\u0301')).toBe(false);
  });
});
