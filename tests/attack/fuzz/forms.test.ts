// Canonical forms: a parser that accepts a value returns one form of it, which other software reads in the same way.
import cookieParser from 'cookie-parser';
import type { Request, Response } from 'express';
import fc from 'fast-check';
import { newTotpSecret, totpStepOf } from '../../../src/crypto/totp-code.js';
import { parseEmailAddress } from '../../../src/domain/email-address.js';
import { parseMetadata } from '../../../src/domain/metadata.js';
import { parseName } from '../../../src/domain/name.js';
import { parseSlug, slugOf } from '../../../src/domain/org-slug.js';
import { typedCode } from '../../../src/domain/typed-text.js';
import { parsePhoneNumber } from '../../../src/domain/phone-number.js';
import { parseDevice } from '../../../src/domain/session.js';
import { createRedirects } from '../../../src/http/redirects.js';
import { readCookies } from '../../../src/http/session-cookie.js';
import { LinkTargets } from '../../../src/core/support/link-targets.js';
import { PasswordRules } from '../../../src/core/passwords/password-rules.js';
import { silentLogger } from '../../../src/core/support/logger.js';
import { codeAt } from '../../support/authenticator-app.js';
import { outcomeOf } from '../../support/outcomes.js';
import { anyJson, anyMutations, anyText, mutate } from './arbitraries.js';
import { itHolds } from './pass.js';

/** Returns the parsed value, or undefined if the parser rejects the input. */
function attempted<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Valid strings with mutations, which is where parsers err. */
const mutated = (...valid: string[]) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...valid), anyMutations)
        .map(([text, changes]) => mutate(text, changes, valid)),
    },
    { weight: 1, arbitrary: anyText },
  );

const itHasOneForm = (
  name: string,
  text: fc.Arbitrary<string>,
  read: (text: string) => string,
  alike: (form: string, text: string) => void,
) =>
  itHolds(
    `parses ${name} into one canonical form`,
    () =>
      fc.property(text, (input) => {
        const form = attempted(() => read(input));
        if (form === undefined) return;
        expect(read(form)).toBe(form);
        alike(form, input);
      }),
    { runs: 1_500 },
  );

const digits = (text: string) => text.replace(/\D/g, '');

describe('Parsed string', () => {
  itHasOneForm(
    'an address',
    mutated('ada@example.com', 'A.da+x@Example.co.uk', 'a@bücher.example', "o'neil_1@xn--bcher-kva.example"),
    parseEmailAddress,
    (form) => {
      // For a URL parser the domain is a canonical host name, and for SMTP the whole address is one word.
      const [local = '', domain = ''] = form.split('@');
      expect(new URL(`http://${domain}/`).hostname).toBe(domain);
      expect(`${local}@${domain}`).toBe(form);
      expect(form).toMatch(/^[!-~]{1,64}@[a-z0-9.-]{3,253}$/);
      expect(local).not.toMatch(/[\s"(),:;<>@[\\\]A-Z]/);
    },
  );

  itHasOneForm(
    'a phone number',
    mutated('+14155552671', '+49 (151) 234-56789', '+442071838750', '+8613800138000'),
    (text) => parsePhoneNumber(text).e164,
    (form, typed) => {
      // Digits of other scripts are read as what they are.
      const input = typed.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => typedCode(digit));
      expect(form).toMatch(/^\+[1-9]\d{6,14}$/);
      // Parsing can remove only the trunk prefix 0 behind the country code.
      expect([0, 1]).toContain(digits(input).length - digits(form).length);
      expect(digits(form).endsWith(digits(input).slice(-6))).toBe(true);
    },
  );

  itHasOneForm(
    'a slug',
    mutated('acme', 'a-b-3', '0190f6a0-0000-7000-8000-000000000001'),
    parseSlug,
    (form, input) => {
      expect(form).toBe(input);
      expect(encodeURIComponent(form)).toBe(form);
    },
  );

  itHasOneForm(
    'the name of an organization or a key',
    mutated('Acme', ' Büro & Söhne '),
    parseName,
    (form, input) => {
      expect(form).toBe(input.trim());
      expect(form.split(/[\r\n\0]/)).toEqual([form]);
    },
  );

  itHolds('derives a valid slug from any name', () =>
    fc.property(anyText, (name) => {
      expect(parseSlug(slugOf(name))).toBe(slugOf(name));
    }),
  );
});

describe('Metadata', () => {
  itHolds(
    'keeps accepted metadata as the same JSON, and accepts it again',
    () =>
      fc.property(anyJson, (value) => {
        const read = attempted(() => parseMetadata(value));
        if (read === undefined) return;
        expect(JSON.stringify(read)).toBe(JSON.stringify(value));
        expect(parseMetadata(read)).toEqual(read);
        // Must be storable in a jsonb column of PostgreSQL.
        expect(JSON.stringify(read)).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/);
        expect(JSON.stringify(read)).not.toMatch(/"(?:__svc|__proto__|constructor|prototype)":/);
      }),
    { runs: 600 },
  );

  itHolds('keeps the three strings of a device, and nothing else', () =>
    fc.property(
      fc.record({ name: anyText, userAgent: anyText, ip: anyText, id: anyJson }, { requiredKeys: [] }),
      (device) => {
        const { id: _, ...texts } = device;
        const isShort = Object.values(texts).every((text) => text.length <= 512);
        expect(attempted(() => parseDevice(device))).toEqual(isShort ? texts : undefined);
      },
    ),
  );
});

describe('Link and redirect target', () => {
  const origins = ['https://app.test', 'http://localhost:3000'];
  const targets = new LinkTargets(origins);
  const urls = mutated(
    'https://app.test/reset?a=b#c',
    'http://localhost:3000/',
    'https://evil.test/',
    'https://app.test@evil.test/',
  );

  itHolds(
    'accepts only link targets whose origin, as a browser parses it, is allowed',
    () =>
      fc.property(urls, (text) => {
        const target = attempted(() => targets.check(text));
        if (target === undefined) return;
        const { origin, username, password } = new URL(target);
        expect(origins).toContain(origin);
        expect(username + password).toBe('');
        expect(target).toMatch(/^[!-~]+$/);
      }),
    { runs: 1_500 },
  );

  itHolds(
    'accepts only redirect targets of this site or absolute http(s) URLs, as a browser parses them',
    () =>
      fc.property(fc.oneof(mutated('/', '/in?x=1#y', '//evil.test', '/\\evil.test'), urls), (text) => {
        const redirects = attempted(() => createRedirects({ successRedirect: text }));
        if (!redirects) return;
        const { origin, protocol } = new URL(redirects.success(), 'https://this.test/api/');
        if (/^https?:\/\//.test(text)) expect(['http:', 'https:']).toContain(protocol);
        else expect(origin).toBe('https://this.test');
        expect(
          new URL(redirects.success({ appState: 'a&b=#' }), 'https://this.test').searchParams.getAll('state'),
        ).toContain('a&b=#');
      }),
    { runs: 1_500 },
  );
});

describe('New password', () => {
  itHolds('accepts a password that is long enough, not too long, and encodes to UTF-8 without loss', () =>
    fc.asyncProperty(
      fc.oneof(
        anyText,
        anyText.map((text) => text.repeat(3)),
      ),
      fc.integer({ min: 1, max: 30 }),
      async (text, minLength) => {
        const bytes = new TextEncoder().encode(text);
        const isLossless =
          new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) === text && !text.includes('\0');
        const expected =
          !isLossless || bytes.length > 1024
            ? 'invalid_request'
            : Array.from(text).length < minLength
              ? 'weak_password'
              : 'ok';
        const rules = new PasswordRules({ minLength, commonPasswords: false }, 'Acme', silentLogger);
        expect(await outcomeOf(() => rules.check(text, { email: null }))).toBe(expected);
      },
    ),
  );
});

describe('Authenticator code', () => {
  const secret = newTotpSecret();

  itHolds('accepts an authenticator code only in its own time step and the adjacent ones', () =>
    fc.property(fc.nat(2 ** 42), fc.integer({ min: -4, max: 4 }), (now, away) => {
      const time = Math.max(0, now + away * 30_000);
      const step = totpStepOf(secret, codeAt(secret, time), now);
      const distance = Math.abs(Math.floor(time / 30_000) - Math.floor(now / 30_000));
      if (distance <= 1)
        expect([
          Math.floor(time / 30_000) - 1,
          Math.floor(time / 30_000),
          Math.floor(time / 30_000) + 1,
        ]).toContain(step);
      // One in a million codes is also that of another step.
      else if (step !== null) expect(codeAt(secret, step * 30_000)).toBe(codeAt(secret, time));
    }),
  );
});

describe('Session cookie', () => {
  const pair = fc.tuple(
    fc.constantFrom('svc_session', 'svc_session2', 'SVC_SESSION', ' svc_session', 'a', '__proto__'),
    fc.oneof(anyText, fc.constantFrom('j:{"a":1}', 'j:[', '"q"', '%zz', '%41')),
  );

  itHolds(
    'reads the session cookies as strings, in their order, among any other cookies',
    () =>
      fc.property(fc.array(pair, { maxLength: 5 }), (pairs) => {
        const clean = pairs.map(([name, value]) => [name, value.replace(/[;,\s]/g, '')] as const);
        const headers = { cookie: clean.map(([name, value]) => `${name}=${value}`).join('; ') };
        const read = readCookies({ headers } as unknown as Request, 'svc_session');
        const values = clean
          .filter(([name]) => name.trim() === 'svc_session')
          .map(([, value]) => {
            // Surrounding quotation marks are removed (RFC 6265, 4.1.1); a single one counts as both.
            const bare = value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
            return attempted(() => decodeURIComponent(bare)) ?? bare;
          });
        expect(read).toEqual(values.filter((value) => value !== '').slice(0, 4));
      }),
    { runs: 600 },
  );

  itHolds(
    'reads the same as cookie-parser from any header',
    () => {
      const part = fc.constantFrom(
        'svc_session',
        '=',
        ';',
        ' ',
        '\t',
        '"',
        '%41',
        '%',
        'j:',
        '{}',
        '0',
        '\u00a0',
      );
      return fc.property(fc.array(part, { maxLength: 16 }), (parts) => {
        const parsed = { headers: { cookie: parts.join('') } } as unknown as Request;
        const read = readCookies(parsed, 'svc_session');
        cookieParser()(parsed, {} as Response, () => undefined);
        const first: unknown = parsed.cookies['svc_session'];
        // cookie-parser turns a `j:` value into an object; a session cookie never has one.
        if (typeof first === 'string' && first !== '') expect(read[0]).toBe(first);
      });
    },
    { runs: 5_000 },
  );
});
