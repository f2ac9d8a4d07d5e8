// Authenticated encryption of what the storage gives back (A-94, C-19).
import { createKeyring } from '../../src/crypto/keys.js';
import { seal, unseal } from '../../src/crypto/secret-box.js';

const key = 'an encryption key of the tests, 32 bytes or more';
const otherKey = 'another encryption key of the tests, 32 bytes long';
const keys = createKeyring(key);
const [owner, text] = ['0190f6a0-0000-7000-8000-000000000001', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'];
const sealed = seal(keys, 'totp', owner, text);
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('A-94 A secret box', () => {
  it('opens for its owner, and is `v1.<key id>.<96-bit iv>.<ciphertext>.<128-bit tag>`', () => {
    expect(unseal(keys, 'totp', owner, sealed)).toEqual({ text, isCurrent: true });
    const [version, id, iv, ciphertext, tag, ...rest] = sealed.split('.');
    expect([version, id, rest]).toEqual(['v1', expect.stringMatching(/^[\w-]{8}$/), []]);
    const lengths = [iv, ciphertext, tag].map((part) => Buffer.from(part!, 'base64url').length);
    expect(lengths).toEqual([12, text.length, 16]);
  });

  it('never looks the same twice: a new iv each time', () => {
    const ivs = Array.from({ length: 1000 }, () => seal(keys, 'totp', owner, text).split('.')[2]);
    expect(new Set(ivs).size).toBe(1000);
  });

  it('holds nothing of its text and nothing of its key', () => {
    expect(sealed).not.toContain(text);
    expect(sealed).not.toContain(Buffer.from(text).toString('base64url').slice(0, 10));
    expect(sealed.split('.')[1]).not.toBe(keys.subkeys('totp')[0].export().toString('base64url').slice(0, 8));
  });

  it('does not open for another owner, another purpose or another key', () => {
    expect(unseal(keys, 'totp', owner.replace(/1$/, '2'), sealed)).toBeNull();
    expect(unseal(keys, 'totp', '', sealed)).toBeNull();
    expect(unseal(keys, 'recovery_code', owner, sealed)).toBeNull();
    expect(unseal(createKeyring(otherKey), 'totp', owner, sealed)).toBeNull();
  });

  it('does not open when any one character is another', () => {
    for (let at = 0; at < sealed.length; at += 1) {
      const there = alphabet.indexOf(sealed[at]!);
      // The neighbour in the alphabet differs in the last bit, which base64 may not even use.
      const other = alphabet[there ^ 1] ?? 'A';
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect([at, unseal(keys, 'totp', owner, changed)]).toEqual([at, null]);
    }
  });

  it('does not open when any one bit of iv, ciphertext or tag is flipped', () => {
    const [version, id, ...parts] = sealed.split('.');
    const bytes = parts.map((part) => Buffer.from(part, 'base64url'));
    for (const [part, { length }] of bytes.entries()) {
      for (let bit = 0; bit < length * 8; bit += 1) {
        const flipped = bytes.map((each) => Buffer.from(each));
        flipped[part]![bit >> 3]! ^= 1 << (bit & 7);
        const changed = [version, id, ...flipped.map((each) => each.toString('base64url'))].join('.');
        expect([part, bit, unseal(keys, 'totp', owner, changed)]).toEqual([part, bit, null]);
      }
    }
  });

  it('does not open with a tag that was cut, down to nothing', () => {
    const [version, id, iv, ciphertext, tag] = sealed.split('.');
    for (let length = 0; length < 16; length += 1) {
      const cut = Buffer.from(tag!, 'base64url').subarray(0, length).toString('base64url');
      expect(unseal(keys, 'totp', owner, [version, id, iv, ciphertext, cut].join('.'))).toBeNull();
    }
  });

  it.each([
    ['nothing', ''],
    ['dots', '....'],
    ['another version', sealed.replace(/^v1/, 'v2')],
    ['a part more', `${sealed}.AAAA`],
    ['a part less', sealed.split('.').slice(0, 4).join('.')],
    ['an empty iv', sealed.replace(/^(v1\.[^.]+)\.[^.]+/, '$1.')],
    ['padding', `${sealed}=`],
    ['a space', `${sealed} `],
    ['the text itself', text],
    ['NUL', '\0'],
  ])('is not %s, and that is no error either', (_what, other) => {
    expect(unseal(keys, 'totp', owner, other)).toBeNull();
  });

  it('opens with an earlier key, and says that it is one; not any more once that is dropped', () => {
    const rotated = createKeyring(otherKey, [key]);
    expect(unseal(rotated, 'totp', owner, sealed)).toEqual({ text, isCurrent: false });
    const anew = seal(rotated, 'totp', owner, text);
    expect(unseal(rotated, 'totp', owner, anew)).toEqual({ text, isCurrent: true });
    expect(unseal(createKeyring(otherKey), 'totp', owner, anew)).toEqual({ text, isCurrent: true });
    expect(unseal(keys, 'totp', owner, anew)).toBeNull();
  });

  it('holds any text', () => {
    for (const each of ['', 'ä🙂\0', 'x'.repeat(100_000)]) {
      expect(unseal(keys, 'totp', owner, seal(keys, 'totp', owner, each))?.text).toBe(each);
    }
  });
});
