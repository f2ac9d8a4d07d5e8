// how codes are drawn, and how long they are.
import { makeService } from '../../support/make-service.js';
import { minute } from '../../support/make-pro-service.js';
import { outcomeOf } from '../../support/outcomes.js';

describe('Codes', () => {
  it('A-23 are drawn evenly from all there are, leading zeros included', async () => {
    const rateLimit = { maxPerWindow: 1_000_000, windowMs: minute };
    const { service, mail } = await makeService({ rateLimit });
    const draws = 3_000;
    const codes: string[] = [];
    for (let i = 0; i < draws; i += 1) {
      await service.emailCode.sendCode({ email: 'ada@example.com' });
      codes.push(/^\d{6}$/m.exec(mail.messages.at(-1)!.text)![0]);
      mail.clear();
    }
    for (let place = 0; place < 6; place += 1) {
      const counts = Array.from(
        { length: 10 },
        (_, digit) => codes.filter((code) => code[place] === String(digit)).length,
      );
      const chiSquare = counts.reduce((sum, count) => sum + (count - draws / 10) ** 2 / (draws / 10), 0);
      // Nine degrees of freedom: above 45 once in a million draws.
      expect(chiSquare).toBeLessThan(45);
    }
    // A birthday among 3000 of a million leaves some five twins; a poor source has hundreds.
    expect(new Set(codes).size).toBeGreaterThan(draws - 30);
    expect(codes.some((code) => code.startsWith('0'))).toBe(true);
  });

  it('A-24 have six digits, never fewer than four, and say so where they have fewer than six', async () => {
    const make = (length: number) => makeService({ code: { length } });
    for (const length of [3, 0, -6, 13, 4.5, NaN, '6' as never])
      expect([length, await outcomeOf(() => make(length))]).toEqual([length, 'config_invalid']);
    const warned = async (length: number) =>
      (await make(length)).log.filter(({ level }) => level === 'warn').length;
    expect([await warned(4), await warned(5), await warned(6), await warned(12)]).toEqual([1, 1, 0, 0]);
    const { service, mail } = await makeService();
    await service.emailCode.sendCode({ email: 'ada@example.com' });
    expect(mail.lastCode('ada@example.com')).toMatch(/^\d{6}$/);
  });
});
