// Digests, MACs and their comparison (docs/security-requirements.md A-68, C-17).
import { createHash, createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { constantTimeEqual, lengthPrefixed, mac, sha256 } from '../../src/crypto/digest.js';

const key = createSecretKey(Buffer.alloc(32, 7));

describe('A digest', () => {
  it('is SHA-256 in base64url', () => {
    expect(sha256('abc')).toBe(createHash('sha256').update('abc').digest('base64url'));
    expect(sha256('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});

describe('A MAC', () => {
  it('is HMAC-SHA256 over its parts, each behind its length', () => {
    const input = Buffer.from([0, 2, 0x61, 0x62, 0, 0, 0, 1, 0x63]);
    expect(mac(key, 'ab', '', 'c')).toEqual(createHmac('sha256', key).update(input).digest());
  });

  it('C-17 has no two lists of parts for one input', () => {
    const parts = fc.array(fc.string({ maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const same = a.length === b.length && a.every((part, i) => part === b[i]);
        expect(lengthPrefixed(a).equals(lengthPrefixed(b))).toBe(same);
      }),
      { numRuns: 2000 },
    );
    // What plain concatenation, with or without a separator, takes for one and the same.
    expect(mac(key, 'a', 'bc')).not.toEqual(mac(key, 'ab', 'c'));
    expect(mac(key, 'a|b', 'c')).not.toEqual(mac(key, 'a', 'b|c'));
    expect(mac(key, 'a')).not.toEqual(mac(key, 'a', ''));
  });

  it('counts a text in bytes', () => {
    expect(lengthPrefixed(['€'])).toEqual(Buffer.from([0, 3, 0xe2, 0x82, 0xac]));
  });
});

describe('A comparison', () => {
  it('A-68 of unequal lengths is unequal, not a crash', () => {
    expect(constantTimeEqual(Buffer.alloc(32), Buffer.alloc(31))).toBe(false);
    expect(constantTimeEqual('', 'a')).toBe(false);
    expect(constantTimeEqual('a'.repeat(5000), 'a')).toBe(false);
  });

  it('tells equal from unequal', () => {
    expect(constantTimeEqual('abc', 'abc')).toBe(true);
    expect(constantTimeEqual('abc', 'abd')).toBe(false);
    expect(constantTimeEqual('', '')).toBe(true);
    expect(constantTimeEqual('é', 'e\u0301')).toBe(false);
  });
});
