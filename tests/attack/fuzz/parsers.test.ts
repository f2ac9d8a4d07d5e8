// Parsers of untrusted input: each returns a value or a documented error code, in time that does not explode with the length.
import fc from 'fast-check';
import { isServiceError, verifyToken } from 'svc-auth';
import type { Request } from 'express';
import { parseApiKey } from '../../../src/crypto/api-key-format.js';
import { createKeyring } from '../../../src/crypto/keys.js';
import { generateLicenseKeys, openLicense } from '../../../src/crypto/license-token.js';
import { parseCustomClaims } from '../../../src/crypto/session-jwt.js';
import { openToken } from '../../../src/crypto/signed-token.js';
import { newTotpSecret, totpStepOf } from '../../../src/crypto/totp-code.js';
import { parseEmailAddress } from '../../../src/domain/email-address.js';
import { parseMetadata } from '../../../src/domain/metadata.js';
import { parseRole } from '../../../src/domain/org.js';
import { parseName } from '../../../src/domain/name.js';
import { parseSlug, slugOf } from '../../../src/domain/org-slug.js';
import { parsePhoneNumber } from '../../../src/domain/phone-number.js';
import { parseDevice } from '../../../src/domain/session.js';
import { createRedirects } from '../../../src/http/redirects.js';
import { readSessionCookies } from '../../../src/http/session-cookie.js';
import { parseCode } from '../../../src/core/support/input.js';
import { LinkTargets } from '../../../src/core/support/link-targets.js';
import { PasswordRules } from '../../../src/core/passwords/password-rules.js';
import { silentLogger } from '../../../src/core/support/logger.js';
import type { CookieOptions } from '../../../src/core/internals.js';
import { testSecret } from '../../support/make-service.js';
import { effortOf } from '../../support/outcomes.js';
import { anyText, anyValue } from './arbitraries.js';
import { itHolds } from './pass.js';

const keys = createKeyring(testSecret);
const passwordRules = new PasswordRules({ minLength: 8 }, 'Acme', silentLogger);
const targets = new LinkTargets(['https://app.test', 'http://localhost:3000']);
const { publicKey } = generateLicenseKeys();
const totpSecret = newTotpSecret();
const cookie = { name: 'svc_session' } as CookieOptions;

/** Every parser, with the codes that it can reject with; those without a code return null or an equivalent. */
const parsers: Record<string, { read: (input: never) => unknown; codes: string[] }> = {
  'an address': { read: parseEmailAddress, codes: ['invalid_request'] },
  'a phone number': { read: parsePhoneNumber, codes: ['invalid_request'] },
  'a slug': { read: parseSlug, codes: ['invalid_request'] },
  'the name of an organization or a key': { read: parseName, codes: ['invalid_request'] },
  'a role': { read: parseRole, codes: ['org_error'] },
  metadata: { read: parseMetadata, codes: ['invalid_request'] },
  'custom claims': { read: parseCustomClaims, codes: ['invalid_request'] },
  'a device': { read: parseDevice, codes: ['invalid_request'] },
  'a code': { read: parseCode, codes: ['invalid_request'] },
  'the target of a redirect': {
    read: (input) => createRedirects({ successRedirect: input }),
    codes: ['config_invalid'],
  },
  'a session token': { read: (input) => verifyToken(input, testSecret), codes: ['token_invalid'] },
  'a mailed token': { read: (input) => openToken(keys, 'magic_link', input, 0), codes: [] },
  'an API key': { read: parseApiKey, codes: [] },
  'a cookie': {
    read: (input) => readSessionCookies(cookie, { headers: { cookie: input } } as unknown as Request),
    codes: [],
  },
};
/** Parsers whose callers pass only strings. */
const textParsers: typeof parsers = {
  'the target of a link': { read: (input) => targets.check(input), codes: ['invalid_request'] },
  'a new password': {
    read: (input) => passwordRules.check(input, { email: 'ada@example.com', username: 'ada' }),
    codes: ['invalid_request', 'weak_password'],
  },
  'a license': { read: (input) => openLicense(input, publicKey), codes: [] },
  'the code of an authenticator app': { read: (input) => totpStepOf(totpSecret, input, 0), codes: [] },
  'the words of a slug': { read: slugOf, codes: [] },
};
const allParsers = Object.entries({ ...parsers, ...textParsers });

/** Returns the error code of a rejection, or null if the input is accepted. */
async function refusalOf(read: (input: never) => unknown, input: unknown): Promise<string | null> {
  try {
    await read(input as never);
    return null;
  } catch (error) {
    return isServiceError(error) ? error.code : `not a ServiceError: ${String(error)}`;
  }
}

describe('Any input', () => {
  for (const [name, { read, codes }] of allParsers) {
    const input = name in textParsers || name === 'a cookie' ? anyText : anyValue;
    itHolds(
      `accepts any input for ${name} or rejects it with a documented code`,
      () =>
        fc.asyncProperty(input, async (value) =>
          expect([null, ...codes]).toContain(await refusalOf(read, value)),
        ),
      { runs: 250, weight: 0.5 },
    );
  }
});

describe('Input of 100 KB', () => {
  // A valid beginning, a repeated unit and an invalid end: what makes a careless pattern backtrack.
  const pumped = fc
    .tuple(
      fc.constantFrom(
        '',
        'a',
        'a@',
        'svc_',
        '+1',
        '+',
        'svc_session=',
        'https://app.test/',
        'eyJ',
        '{"a":',
        '[',
      ),
      fc.oneof(
        fc.constantFrom(
          'a',
          '.',
          '-',
          ' ',
          '\t',
          '@',
          '0',
          '=',
          ';',
          '%',
          '[',
          '(',
          '\\',
          '"',
          'ü',
          'a.',
          'a-',
          '0 ',
          'j:',
          'a=b; ',
          '-a',
          '\u0301',
        ),
        anyText.map((text) => text.slice(0, 6) || 'x'),
      ),
      fc.constantFrom('', '!', '@', '\n', '\0', '.', ' x', '\ud800'),
    )
    .map(([begin, unit, end]) => begin + unit.repeat(Math.ceil(100_000 / unit.length)) + end);

  for (const [name, { read }] of allParsers) {
    itHolds(
      `reads 100 KB for ${name} without noticeable CPU time`,
      () =>
        fc.asyncProperty(pumped, async (text) => {
          const time = () => effortOf(() => refusalOf(read, text));
          // Measures again if something else used the processor; quadratic code takes seconds every time.
          const effort = await time();
          if (effort > 100) expect(Math.min(effort, await time(), await time())).toBeLessThan(100);
        }),
      { runs: 25, weight: 0.5 },
    );
  }
});
