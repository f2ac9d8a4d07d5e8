// Everything random (docs/security-requirements.md ).
import { randomDigits, randomToken, uuidV7 } from '../../src/crypto/random.js';

describe('randomDigits()', () => {
  const codes = Array.from({ length: 100_000 }, () => randomDigits(6));

  //
  it('a random code has all its digits, including leading zeros', () => {
    expect(codes.filter((code) => !/^\d{6}$/.test(code))).toEqual([]);
    // One in ten starts with a zero, unless the generator starts at 100000.
    expect(codes.filter((code) => code.startsWith('0')).length).toBeGreaterThan(9_000);
    expect(codes.some((code) => code.startsWith('00'))).toBe(true);
  });

  //
  it.each([0, 1, 2, 3, 4, 5])(
    'every digit of a random code is equally frequent in position %i',
    (position) => {
      const counts = Array.from({ length: 10 }, () => 0);
      for (const code of codes) counts[Number(code[position])]! += 1;
      const expected = codes.length / 10;
      const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
      // Nine degrees of freedom: exceeds 50 in one of ten million runs.
      expect(chiSquare).toBeLessThan(50);
    },
  );

  //
  it('random codes cover the whole range: 10^5 draws of 10^6 repeat about 4800 times', () => {
    const repeated = codes.length - new Set(codes).size;
    expect(repeated).toBeGreaterThan(4_400);
    expect(repeated).toBeLessThan(5_300);
  });

  //
  it.each([4, 8, 12])('a random code can have %i digits', (length) => {
    expect(randomDigits(length)).toMatch(new RegExp(`^\\d{${length}}$`));
  });
});

describe('randomToken()', () => {
  //
  it('a random token has 32 bytes by default', () => {
    const token = randomToken();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  });

  //
  it('random tokens do not repeat', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => randomToken(16))).size).toBe(10_000);
  });
});

describe('uuidV7()', () => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

  it('an identifier is a UUID of version 7 and the RFC variant', () => {
    expect(uuidV7(now)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('an identifier contains its creation time to the millisecond', () => {
    expect(parseInt(uuidV7(now).replaceAll('-', '').slice(0, 12), 16)).toBe(now);
  });

  it('identifiers sort by creation time', () => {
    const ids = [now, now + 1, now + 1000, now + 86_400_000].map(uuidV7);
    expect([...ids].sort()).toEqual(ids);
  });

  //
  it('100,000 identifiers of one millisecond are unique', () => {
    expect(new Set(Array.from({ length: 100_000 }, () => uuidV7(now))).size).toBe(100_000);
  });

  //
  it('each of the 74 random bits of an identifier varies', () => {
    const bits = Array.from({ length: 400 }, () =>
      [...uuidV7(now).replaceAll('-', '')]
        .map((digit) => parseInt(digit, 16).toString(2).padStart(4, '0'))
        .join(''),
    );
    const varying = Array.from(
      { length: 128 },
      (_, i) => new Set(bits.map((bitsOfId) => bitsOfId[i])).size === 2,
    );
    expect(varying.filter(Boolean)).toHaveLength(74);
  });
});
