// What a parser lets through: one form, however often it is read, and what others make of it who know nothing of our code.
import type { Request } from 'express';
import fc from 'fast-check';
import { newTotpSecret, totpStepOf } from '../../../src/crypto/totp-code.js';
import { parseEmailAddress } from '../../../src/domain/email-address.js';
import { parseMetadata } from '../../../src/domain/metadata.js';
import { parseName } from '../../../src/domain/name.js';
import { parseSlug, slugOf } from '../../../src/domain/org-slug.js';
import { parsePhoneNumber } from '../../../src/domain/phone-number.js';
import { parseDevice } from '../../../src/domain/session.js';
import { createRedirects } from '../../../src/http/redirects.js';
import { readSessionCookie } from '../../../src/http/session-cookie.js';
import type { CookieOptions } from '../../../src/kit/internals.js';
import { LinkTargets } from '../../../src/kit/link-targets.js';
import { checkNewPassword } from '../../../src/kit/password-policy.js';
import { codeAt } from '../../support/authenticator-app.js';
import { outcomeOf } from '../../support/outcomes.js';
import { anyJson, anyMutations, anyText, mutate } from './arbitraries.js';
import { holds } from './pass.js';

/** What it makes of it, or undefined where it refuses. */
function attempted<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** A good one with changes in it, which is where parsers err. */
const near = (...good: string[]) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...good), anyMutations)
        .map(([text, changes]) => mutate(text, changes, good)),
    },
    { weight: 1, arbitrary: anyText },
  );

const sameForm = (
  name: string,
  text: fc.Arbitrary<string>,
  read: (text: string) => string,
  alike: (form: string, text: string) => void,
) =>
  holds(
    `${name} that is accepted has one form`,
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

describe('A text', () => {
  sameForm(
    'an address',
    near('ada@example.com', 'A.da+x@Example.co.uk', 'a@bücher.example', "o'neil_1@xn--bcher-kva.example"),
    parseEmailAddress,
    (form) => {
      // To a URL parser the domain is a host that needs no change, and to SMTP the whole is one word.
      const [local = '', domain = ''] = form.split('@');
      expect(new URL(`http://${domain}/`).hostname).toBe(domain);
      expect(`${local}@${domain}`).toBe(form);
      expect(form).toMatch(/^[!-~]{1,64}@[a-z0-9.-]{3,253}$/);
      expect(local).not.toMatch(/[\s"(),:;<>@[\\\]A-Z]/);
    },
  );

  sameForm(
    'a phone number',
    near('+14155552671', '+49 (151) 234-56789', '+442071838750', '+8613800138000'),
    (text) => parsePhoneNumber(text).e164,
    (form, input) => {
      expect(form).toMatch(/^\+[1-9]\d{6,14}$/);
      // What goes, if anything, is the 0 of a number at home, behind the country.
      expect([0, 1]).toContain(digits(input).length - digits(form).length);
      expect(digits(form).endsWith(digits(input).slice(-6))).toBe(true);
    },
  );

  sameForm(
    'a slug',
    near('acme', 'a-b-3', '0190f6a0-0000-7000-8000-000000000001'),
    parseSlug,
    (form, input) => {
      expect(form).toBe(input);
      expect(encodeURIComponent(form)).toBe(form);
    },
  );

  sameForm(
    'the name of an organisation or a key',
    near('Acme', ' Büro & Söhne '),
    parseName,
    (form, input) => {
      expect(form).toBe(input.trim());
      expect(form.split(/[\r\n\0]/)).toEqual([form]);
    },
  );

  holds('for a name gives words that are a slug', () =>
    fc.property(anyText, (name) => {
      expect(parseSlug(slugOf(name))).toBe(slugOf(name));
    }),
  );
});

describe('Metadata', () => {
  holds(
    'that are accepted are the JSON that was given, and are accepted again',
    () =>
      fc.property(anyJson, (value) => {
        const read = attempted(() => parseMetadata(value));
        if (read === undefined) return;
        expect(JSON.stringify(read)).toBe(JSON.stringify(value));
        expect(parseMetadata(read)).toEqual(read);
        // What PostgreSQL keeps in a jsonb column.
        expect(JSON.stringify(read)).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/);
        expect(JSON.stringify(read)).not.toMatch(/"(?:__svc|__proto__|constructor|prototype)":/);
      }),
    { runs: 600 },
  );

  holds('of a device are its three texts, and nothing else', () =>
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

describe('A target', () => {
  const origins = ['https://app.test', 'http://localhost:3000'];
  const targets = new LinkTargets(origins);
  const urls = near(
    'https://app.test/reset?a=b#c',
    'http://localhost:3000/',
    'https://evil.test/',
    'https://app.test@evil.test/',
  );

  holds(
    'of a link, as a browser sees it, is of an origin that is allowed',
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

  holds(
    'of a redirect, as a browser sees it, is of this site, or a web page that was named in full',
    () =>
      fc.property(fc.oneof(near('/', '/in?x=1#y', '//evil.test', '/\\evil.test'), urls), (text) => {
        const redirects = attempted(() => createRedirects({ successRedirect: text }));
        if (!redirects) return;
        const { origin, protocol } = new URL(redirects.success(), 'https://this.test/api/');
        if (/^https?:\/\//.test(text)) expect(['http:', 'https:']).toContain(protocol);
        else expect(origin).toBe('https://this.test');
        expect(
          new URL(redirects.success('a&b=#'), 'https://this.test').searchParams.getAll('state'),
        ).toContain('a&b=#');
      }),
    { runs: 1_500 },
  );
});

describe('A new password', () => {
  holds('is accepted if it is long enough, fits, and can be told from every other', () =>
    fc.asyncProperty(
      fc.oneof(
        anyText,
        anyText.map((text) => text.repeat(3)),
      ),
      fc.integer({ min: 1, max: 30 }),
      async (text, minLength) => {
        const bytes = new TextEncoder().encode(text);
        const isOneText =
          new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) === text && !text.includes('\0');
        const expected =
          !isOneText || bytes.length > 1024
            ? 'invalid_request'
            : Array.from(text).length < minLength
              ? 'weak_password'
              : 'ok';
        expect(await outcomeOf(() => checkNewPassword(text, null, { minLength }))).toBe(expected);
      },
    ),
  );
});

describe('The code of an authenticator app', () => {
  const secret = newTotpSecret();

  holds('counts in its step and the ones beside it, and nowhere else', () =>
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
      // One in a million codes is that of another step as well.
      else if (step !== null) expect(codeAt(secret, step * 30_000)).toBe(codeAt(secret, time));
    }),
  );
});

describe('A session cookie', () => {
  const pair = fc.tuple(
    fc.constantFrom('svc_session', 'svc_session2', 'SVC_SESSION', ' svc_session', 'a', '__proto__'),
    fc.oneof(anyText, fc.constantFrom('j:{"a":1}', 'j:[', '"q"', '%zz', '%41')),
  );

  holds(
    'is the first of its name, as text, whatever else is there',
    () =>
      fc.property(fc.array(pair, { maxLength: 5 }), (pairs) => {
        const clean = pairs.map(([name, value]) => [name, value.replace(/[;,\s]/g, '')] as const);
        const headers = { cookie: clean.map(([name, value]) => `${name}=${value}`).join('; ') };
        const read = readSessionCookie(
          { name: 'svc_session' } as CookieOptions,
          { headers } as unknown as Request,
        );
        const [, first] = clean.find(([name]) => name.trim() === 'svc_session') ?? [];
        if (first === undefined || first === '') return expect(read).toBeUndefined();
        // Quotation marks around it are taken off (RFC 6265, 4.1.1); one alone is both.
        const bare = first.startsWith('"') && first.endsWith('"') ? first.slice(1, -1) : first;
        const text = attempted(() => decodeURIComponent(bare)) ?? bare;
        // cookie-parser makes objects of what it can read as JSON; no cookie of ours is one.
        expect([text === '' ? undefined : text, undefined]).toContain(read);
        if (!text.startsWith('j:')) expect(read).toBe(text === '' ? undefined : text);
      }),
    { runs: 600 },
  );
});
