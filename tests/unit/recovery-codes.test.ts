// Recovery codes: what they are made of, and what is read as the same code.
// cspell:ignore ABIO abio igefen iofgaz uvzd ＡＢＩＯ
import { mac } from '../../src/crypto/digest.js';
import { createKeyring } from '../../src/crypto/keys.js';
import { newRecoveryCodes, recoveryCodeHashes } from '../../src/crypto/recovery-codes.js';

const keys = createKeyring('an encryption key of the tests, 32 bytes or more');
const userId = '0190a000-0000-7000-8000-000000000000';
const hashOf = (typed: string) => recoveryCodeHashes(keys, userId, typed)[0];

describe('recovery codes', () => {
  it('are ten different ones, each of two groups of five letters and digits', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{5}-[A-Z2-7]{5}$/);
  });

  it('use every letter and digit about equally often', () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 320; round += 1)
      for (const letter of newRecoveryCodes().join('').replaceAll('-', ''))
        counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect([...counts.keys()].sort().join('')).toBe('234567ABCDEFGHIJKLMNOPQRSTUVWXYZ');
    // Each is expected 1000 times: six standard deviations are 187.
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });

  it.each([
    ['in lower case', 'abio5-7xyz2'],
    ['without a hyphen', 'ABIO57XYZ2'],
    ['with blanks', ' ABIO5 7XYZ2 '],
    ['with another dash', 'ABIO5–7XYZ2'],
    ['in full width', 'ＡＢＩＯ５ー７ＸＹＺ２'],
    ['with marks of direction', '\u200eABIO5\u200f-\u20667XYZ2\u2069'],
    ['with digits that look like its letters', 'A8105-7XYZ2'],
  ])('are read %s', (_name, typed) => {
    expect(hashOf(typed)).toBe(hashOf('ABIO5-7XYZ2'));
  });

  it('of another user or another text are other ones', () => {
    expect(hashOf('ABIO5-7XYZ3')).not.toBe(hashOf('ABIO5-7XYZ2'));
    expect(recoveryCodeHashes(keys, 'another', 'ABIO5-7XYZ2')[0]).not.toBe(hashOf('ABIO5-7XYZ2'));
  });

  it('of earlier releases, with 24 letters and digits, remain valid', () => {
    const [key] = keys.subkeys('recovery_code');
    const stored = mac(key, userId, '2AJ7B7UVZD5WIOFGAZIGEFEN').toString('base64url');
    for (const typed of ['2AJ7B7-UVZD5W-IOFGAZ-IGEFEN', '2aj7b7 uvzd5w iofgaz igefen'])
      expect(hashOf(typed)).toBe(stored);
  });
});
