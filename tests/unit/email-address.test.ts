// Email addresses (docs/security-requirements.md C-12 and fact 6).
import { domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { mailboxOf, maskEmailAddress, parseEmailAddress } from '../../src/domain/email-address.js';
import { canonicalEmail, isServiceError } from 'svc-auth';
import { errorOf, growthOf } from '../support/outcomes.js';

const local64 = 'l'.repeat(64);
const label63 = 'd'.repeat(63);
/** An address of exactly `length` characters whose parts are all within their own bounds. */
const addressOf = (length: number) => {
  const domain = `${label63}.${label63}.`;
  return `${local64}@${domain}${'e'.repeat(length - local64.length - 1 - domain.length - 3)}.co`;
};

/** Returns the canonical form, or null if the address is refused. */
function parseOrNull(input: unknown): string | null {
  try {
    return parseEmailAddress(input);
  } catch (error) {
    if (isServiceError(error) && error.code === 'invalid_request') return null;
    throw error;
  }
}

describe('canonicalEmail', () => {
  it('canonicalEmail() returns the stored form of an address and throws invalid_request for anything else', () => {
    expect(canonicalEmail(' Ada@B\u00fccher.Example ')).toBe('ada@xn--bcher-kva.example');
    for (const input of ['', 'ada', 'ada@example', null, undefined]) {
      expect(() => canonicalEmail(input)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    }
  });
});

describe('parseEmailAddress()', () => {
  it.each([
    ['unchanged', 'ada@example.com', 'ada@example.com'],
    ['without surrounding spaces', '  ada@example.com   ', 'ada@example.com'],
    ['in ASCII lower case', 'Ada.Lovelace@EXAMPLE.Com', 'ada.lovelace@example.com'],
    ['with its tag', 'ada+news@example.com', 'ada+news@example.com'],
    ['with its dots', 'a.d.a@gmail.com', 'a.d.a@gmail.com'],
    ['with every atom character', "!#$%&'*+/?=^_`{|}~-a@example.com", "!#$%&'*+/?=^_`{|}~-a@example.com"],
    ['with a numeric label below the top', 'ada@1.example', 'ada@1.example'],
    ['with a domain in its ASCII form', 'ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['with an ASCII form given', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['with a domain of another script', 'ada@例え.テスト', 'ada@xn--r8jz45g.xn--zckzah'],
    ['with the shortest parts', 'a@b.c', 'a@b.c'],
    ['with 64 characters before the @', `${local64}@example.com`, `${local64}@example.com`],
    ['with a label of 63 characters', `ada@${label63}.com`, `ada@${label63}.com`],
    ['of 254 characters', addressOf(254), addressOf(254)],
  ])('an address is kept %s', (_name, input, canonical) => {
    expect(parseOrNull(input)).toBe(canonical);
  });

  it.each([
    ['nothing', ''],
    ['spaces', '   '],
    ['no @', 'ada.example.com'],
    ['nothing before the @', '@example.com'],
    ['nothing after the @', 'ada@'],
    ['two @', 'ada@evil.com@example.com'],
    ['a space inside', 'ada lovelace@example.com'],
    ['a space after the @', 'ada@ example.com'],
    ['a tab around it', '\tada@example.com'],
    ['a line feed at its end', 'ada@example.com\n'],
    ['a no-break space around it', '\u00a0ada@example.com'],
    ['a zero-width space in it', 'ad\u200ba@example.com'],
    ['a quoted part', '"ada"@example.com'],
    ['a comment', 'ada(work)@example.com'],
    ['angle brackets', '<ada@example.com>'],
    ['a display name', 'Ada <ada@example.com>'],
    ['a backslash', 'ada\\@example.com'],
    ['an encoded word', '=?utf-8?q?ada?=@example.com'],
    ['a dot in front', '.ada@example.com'],
    ['a dot before the @', 'ada.@example.com'],
    ['two dots in a row', 'a..da@example.com'],
    ['one label', 'ada@localhost'],
    ['a hyphen at a label front', 'ada@-example.com'],
    ['a hyphen at a label end', 'ada@example-.com'],
    ['an empty label', 'ada@example..com'],
    ['a dot before the domain', 'ada@.example.com'],
    ['a dot after the domain', 'ada@example.com.'],
    ['an underscore in the domain', 'ada@exa_mple.com'],
    ['an address literal', 'ada@[127.0.0.1]'],
    ['an IPv6 literal', 'ada@[IPv6:::1]'],
    ['an IP address', 'ada@127.0.0.1'],
    ['a disguised IP address', 'ada@0x7f.1'],
    ['a numeric top label', 'ada@example.123'],
    ['a port', 'ada@example.com:25'],
    ['a path', 'ada@example.com/x'],
    ['a query', 'ada@example.com?x'],
    ['a percent escape in the domain', 'ada@exam%70le.com'],
    ['a soft hyphen', 'ada@exam\u00adple.com'],
    ['a broken ASCII form', 'ada@xn--a.com'],
    ['an emoji domain', 'ada@💌.example'],
    ['letters outside ASCII before the @', 'adä@example.com'],
    ['65 characters before the @', `l${local64}@example.com`],
    ['a label of 64 characters', `ada@d${label63}.com`],
    ['255 characters', addressOf(255)],
  ])('an address with %s is refused', (_name, input) => {
    expect(parseOrNull(input)).toBeNull();
  });

  // SECURITY fact 5: what nodemailer would make two recipients, or one recipient elsewhere, of.
  //
  it.each([
    'attacker@evil.com,victim@example.com',
    'victim@example.com,attacker@evil.com',
    'victim@example.com;attacker@evil.com',
    'victim@example.com <attacker@evil.com>',
    'victim@example.com\r\nBcc: attacker@evil.com',
    'victim@example.com\0@evil.com',
    'victim@example。com',
  ])('an address that would mislead a mailer is refused: %j', (input) => {
    expect(parseOrNull(input)).toBeNull();
  });

  // SECURITY fact 6: characters that some case or width mapping turns into ASCII.
  it.each([
    ['the Kelvin sign', '\u212A'],
    ['the dotless i', '\u0131'],
    ['the dotted capital I', '\u0130'],
    ['the long s', '\u017F'],
    ['the sharp s', '\u00DF'],
    ['the fi ligature', '\uFB01'],
    ['a full-width a', '\uFF41'],
    ['a full-width @', '\uFF20'],
    ['a small @', '\uFE6B'],
    ['a full-width dot', '\uFF0E'],
    ['a small dot', '\uFE52'],
    ['a one dot leader', '\u2024'],
    ['an ideographic dot', '\u3002'],
    ['a zero-width joiner', '\u200D'],
    ['a right-to-left mark', '\u200F'],
    ['NUL', '\0'],
    ['a lone surrogate', '\uD800'],
  ])('an address with %s before the @, instead of it or as a dot is refused', (_name, character) => {
    expect(parseOrNull(`ad${character}a@example.com`)).toBeNull();
    expect(parseOrNull(`ada${character}example.com`)).toBeNull();
    expect(parseOrNull(`ada@example${character}com`)).toBeNull();
  });

  it.each(['\u212A', '\u017F', '\uFB01', '\uFF41', '\u2024', '\u00AD', '\u200D', '\u0130'])(
    'an address whose domain would be mapped to another is refused: %j',
    (character) => {
      expect(parseOrNull(`ada@ban${character}.example`)).toBeNull();
    },
  );

  //
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 1],
    ['a list of one address', ['ada@example.com']],
    ['an object that prints as one', { toString: () => 'ada@example.com' }],
    ['a String object', Object('ada@example.com')],
  ])('an address given as %s is refused', (_name, input) => {
    expect(parseOrNull(input)).toBeNull();
  });

  it('the error that refuses an address does not contain it', async () => {
    const error = await errorOf(() => parseEmailAddress('secret(person)@example.com'));
    expect(error.message).not.toContain('secret');
  });
});

describe('arbitrary strings as addresses', () => {
  const pieces = fc.oneof(
    fc.constantFrom(...'@@@...,;:<>()"\\ \t\r\n\0+-_=?%/[]AZaz09'),
    fc.constantFrom(
      'example',
      'com',
      'xn--',
      'bücher',
      '\u212A',
      '\u017F',
      '\uFF20',
      '\u3002',
      '\u00AD',
      'ß',
      'İ',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join('')),
    fc
      .tuple(fc.array(pieces, { maxLength: 4 }), fc.array(pieces, { maxLength: 6 }))
      .map(([local, domain]) => `a${local.join('')}@${domain.join('')}.com`),
    // A valid address with one piece inserted anywhere.
    fc
      .tuple(fc.constantFrom('ada@example.com', 'A.da+x@bücher.example', 'a@b.co'), fc.nat(20), pieces)
      .map(([good, at, piece]) => good.slice(0, at) + piece + good.slice(at)),
  );

  it('parsing an address again returns the same address', () => {
    let accepted = 0;
    fc.assert(
      fc.property(text, (input) => {
        const once = parseOrNull(input);
        if (once === null) return;
        accepted += 1;
        expect(parseOrNull(once)).toBe(once);
        expect(once).toMatch(/^[!-~]+$/);
        expect(once).toBe(once.toLowerCase());
      }),
      { numRuns: 5000 },
    );
    // Otherwise a parser that refuses everything would pass.
    expect(accepted).toBeGreaterThan(50);
  });

  it('parsing changes only surrounding spaces, ASCII case and the ASCII form of the domain', () => {
    fc.assert(
      fc.property(text, (input) => {
        const once = parseOrNull(input);
        if (once === null) return;
        const plain = input.replace(/^ +| +$/g, '').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
        const [local = '', domain = ''] = once.split('@');
        expect([once, `${local}@${domainToUnicode(domain)}`]).toContain(plain);
      }),
      { numRuns: 5000 },
    );
  });

  //
  it.each([
    ['a', (size: number) => 'a'.repeat(size)],
    ['a.', (size: number) => 'a.'.repeat(size / 2)],
    ['spaces', (size: number) => `${' '.repeat(size)}x`],
    ['@', (size: number) => '@'.repeat(size)],
    ['a long domain', (size: number) => `a@${'a-'.repeat(size / 2)}`],
    ['a long domain of another script', (size: number) => `a@${'ü'.repeat(size)}.com`],
    ['a local part that almost fits', (size: number) => `${'a.'.repeat(size / 2)}@example.com`],
  ])('an input of 100 KB is parsed in linear time: %s', async (_name, inputOf) => {
    expect(await growthOf((size) => parseOrNull(inputOf(size)), 10_000)).toBeLessThan(30);
  });
});

describe('mailboxOf()', () => {
  // C-13
  it('mailboxOf() returns the address without its tag and dots', () => {
    expect(mailboxOf('a.d.a+news@gmail.com')).toBe('ada@gmail.com');
    expect(mailboxOf('ada@sub.example.com')).toBe('ada@sub.example.com');
  });
});

describe('maskEmailAddress()', () => {
  //
  it('maskEmailAddress() shows one letter and the domain', () => {
    expect(maskEmailAddress('victim@example.com')).toBe('v***@example.com');
    expect(maskEmailAddress('v@example.com')).toBe('v***@example.com');
  });
});
