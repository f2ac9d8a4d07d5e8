// Passwords that consist of the names of the account and of the application.
import { consistsOfWords, wordsOfAddress } from '../../src/core/passwords/personal-words.js';

const words = [...wordsOfAddress('ada.lovelace@example.com'), 'Countess', 'Acme Bank'];

describe('A password that consists of known words', () => {
  it.each([
    'ada.lovelace@example.com',
    'ada.lovelace',
    'Ada.Lovelace',
    'lovelace',
    'lovelace1815',
    'ADALOVELACE!!',
    '!!ada-lovelace',
    'acme bank',
    'AcmeBank',
    'acmebank2026!',
    'Acme2026',
    'countess123',
    'acme-ada-1815',
    'ａｃｍｅ２０２６',
  ])('is recognized: %s', (password) => {
    expect(consistsOfWords(password, words)).toBe(true);
  });

  it.each([
    'correct horse battery',
    'acme correct horse',
    'lovelace and babbage',
    'ada84739201746',
    '1815!!!!',
    '',
    '        ',
  ])('is not recognized if it has enough else: %j', (password) => {
    expect(consistsOfWords(password, words)).toBe(false);
  });

  it('is compared as a whole with words of one or two letters, which do not count as parts', () => {
    expect(consistsOfWords('x@y.io', wordsOfAddress('x@y.io'))).toBe(true);
    expect(consistsOfWords('ed', wordsOfAddress('ed@y.io'))).toBe(true);
    expect(consistsOfWords('ed2026', wordsOfAddress('ed@y.io'))).toBe(false);
  });

  it('is none without words', () => {
    expect(wordsOfAddress(null)).toEqual([]);
    expect(consistsOfWords('2026', [null, undefined, '', ' '])).toBe(false);
  });
});
