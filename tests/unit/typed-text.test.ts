// Codes and numbers as input methods send them.
import { parsePhoneNumber } from '../../src/domain/phone-number.js';
import { typedCode, typedPhone } from '../../src/domain/typed-text.js';

describe('typed text', () => {
  it.each([
    ['ASCII', '123456'],
    ['full-width', '１２３４５６'],
    ['Arabic-Indic', '١٢٣٤٥٦'],
    ['Persian', '۱۲۳۴۵۶'],
    ['Devanagari', '१२३४५६'],
    ['mathematical', '𝟏𝟐𝟑𝟒𝟓𝟔'],
    ['with blanks', ' 123\u00a0456\u3000'],
    ['with an en dash', '123–456'],
    ['with a minus sign', '123−456'],
    ['with the dash of a Japanese keyboard', '123ー456'],
    ['with marks of direction', '\u200e123\u200f456\u2069'],
    ['with invisible characters', '12\u200b34\u2060\ufeff56'],
  ])('reads a code of %s digits', (_name, text) => {
    expect(typedCode(text)).toBe('123456');
  });

  it('reads every decimal digit of Unicode as its value', () => {
    for (let code = 0; code < 0x1_ffff; code += 1) {
      const zero = String.fromCodePoint(code);
      const isFirst = /\p{Nd}/u.test(zero) && !/\p{Nd}/u.test(String.fromCodePoint(Math.max(0, code - 1)));
      if (!isFirst) continue;
      const digits = Array.from({ length: 10 }, (_, value) => String.fromCodePoint(code + value)).join('');
      expect([code.toString(16), typedCode(digits)]).toEqual([code.toString(16), '0123456789']);
    }
  });

  it('keeps letters, and reads full-width ones', () => {
    expect(typedCode('ＡBC-def')).toBe('ABCdef');
  });

  it.each([
    '+1 415 555 2671',
    '＋１（４１５）５５５–２６７１',
    '+١٤١٥٥٥٥٢٦٧١',
    '\u202a+1 415\u2011555\u20112671\u202c',
  ])('reads the phone number %s', (text) => {
    expect(parsePhoneNumber(text).e164).toBe('+14155552671');
  });

  it('does not make a number of text that has none', () => {
    expect(typedPhone('+1٫415')).toBe('+1٫415');
    expect(() => parsePhoneNumber('+1 415 555 2671 ext 4')).toThrow();
  });
});
