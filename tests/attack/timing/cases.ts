/** The cases to measure: one request for several kinds of accounts, whose response times must not differ. */
import { randomInt } from 'node:crypto';
import type { HttpRequest } from '../../support/http-client.js';
import type { Ready } from './server.js';

/** Returns the n-th request. All kinds have equally many accounts, so that all have the same history. */
export type Kind = (time: number) => HttpRequest;

export interface Case {
  name: string;
  status: number;
  kinds: Record<string, Kind>;
  /** Set for a control that leaks on purpose: a measurement that does not detect it proves nothing. */
  leaks?: true;
}

const base = '/api/auth';
const wrongPassword = 'not the password';
const tooLong = 'x'.repeat(5_000);

/** @returns the cases, and the requests to send before the measurement. */
export function casesOf(ready: Ready): {
  prepare: HttpRequest[];
  cases: Case[];
} {
  const { known, argon2id, outdated, passwordless, knownPhones, cookie } = ready;
  const count = known.length;
  const addresses = (from: number) =>
    Array.from({ length: count }, (_, i) => `person-${from + i}@example.com`);
  const [unknown, others] = [addresses(500_000), addresses(600_000)];
  const unknownPhones = knownPhones.map((phone) => phone.replace('+4915123', '+4915124'));
  const requestFor =
    (
      path: string,
      subjects: readonly string[],
      bodyOf: (subject: string) => object,
      sessionCookie?: string,
    ): Kind =>
    (time) =>
      post(path, bodyOf(subjects[time % subjects.length]!), sessionCookie);
  const email = (subject: string) => ({ email: subject });
  const phone = (subject: string) => ({ phone: subject });
  const typed = (password: string) => (subject: string) => ({ email: subject, password });
  const guess = <Body>(bodyOf: (subject: string) => Body) => {
    return (subject: string) => ({ ...bodyOf(subject), code: 'wrong!' });
  };

  const login = `${base}/password/login`;
  const argon2idLogin = '/argon2id/password/login';
  const importedLogin = '/imported/password/login';
  const cases: Case[] = [
    {
      name: 'POST /password/login',
      status: 401,
      kinds: {
        unknown: requestFor(login, unknown, typed(wrongPassword)),
        wrong: requestFor(login, known, typed(wrongPassword)),
        passwordless: requestFor(login, passwordless, typed(wrongPassword)),
        'too long': requestFor(login, known, typed(tooLong)),
        'outdated hash': requestFor(login, outdated, typed(wrongPassword)),
        'unknown again': requestFor(login, others, typed(wrongPassword)),
      },
    },
    {
      name: 'POST /password/login, with argon2idHasher after bcryptHasher',
      status: 401,
      kinds: {
        unknown: requestFor(argon2idLogin, unknown, typed(wrongPassword)),
        argon2id: requestFor(argon2idLogin, argon2id, typed(wrongPassword)),
        bcrypt: requestFor(argon2idLogin, known, typed(wrongPassword)),
        'outdated bcrypt': requestFor(argon2idLogin, outdated, typed(wrongPassword)),
        passwordless: requestFor(argon2idLogin, passwordless, typed(wrongPassword)),
        'unknown again': requestFor(argon2idLogin, others, typed(wrongPassword)),
      },
    },
    {
      // The warm-up has shown the process a hash of each format.
      name: 'POST /password/login, after an import',
      status: 401,
      kinds: {
        unknown: requestFor(importedLogin, unknown, typed(wrongPassword)),
        own: requestFor(importedLogin, known, typed(wrongPassword)),
        django: requestFor(importedLogin, ready.django, typed(wrongPassword)),
        scrypt: requestFor(importedLogin, ready.scrypt, typed(wrongPassword)),
        elsewhere: requestFor(importedLogin, ready.elsewhere, typed(wrongPassword)),
        passwordless: requestFor(importedLogin, passwordless, typed(wrongPassword)),
        'unknown again': requestFor(importedLogin, others, typed(wrongPassword)),
      },
    },
    ...['/password/request-reset', '/email-code/send', '/magic-link/send'].map((route) => ({
      name: `POST ${route}`,
      status: 200,
      kinds: {
        unknown: requestFor(`${base}${route}`, unknown, email),
        known: requestFor(`${base}${route}`, known, email),
        passwordless: requestFor(`${base}${route}`, passwordless, email),
      },
    })),
    {
      name: 'POST /email-code/verify, a wrong code',
      status: 401,
      kinds: {
        unknown: requestFor(`${base}/email-code/verify`, unknown, guess(email)),
        known: requestFor(`${base}/email-code/verify`, known, guess(email)),
        passwordless: requestFor(`${base}/email-code/verify`, passwordless, guess(email)),
      },
    },
    {
      name: 'POST /phone/send',
      status: 200,
      kinds: {
        unknown: requestFor(`${base}/phone/send`, unknownPhones, phone),
        known: requestFor(`${base}/phone/send`, knownPhones, phone),
      },
    },
    {
      name: 'POST /phone/verify, a wrong code',
      status: 401,
      kinds: {
        unknown: requestFor(`${base}/phone/verify`, unknownPhones, guess(phone)),
        known: requestFor(`${base}/phone/verify`, knownPhones, guess(phone)),
      },
    },
    {
      name: 'POST /account/email, by another user',
      status: 200,
      kinds: {
        unknown: requestFor(`${base}/account/email`, unknown, email, cookie),
        known: requestFor(`${base}/account/email`, known, email, cookie),
      },
    },
    {
      name: 'POST /password/signup, with signUp.revealExisting: false',
      status: 200,
      kinds: {
        unknown: requestFor('/private/password/signup', unknown, typed(wrongPassword)),
        known: requestFor('/private/password/signup', known, typed(wrongPassword)),
        passwordless: requestFor('/private/password/signup', passwordless, typed(wrongPassword)),
        'unknown again': requestFor('/private/password/signup', others, typed(wrongPassword)),
      },
    },
    {
      name: 'control: a login without a decoy hash',
      status: 401,
      leaks: true,
      kinds: {
        unknown: requestFor('/leaky/login', unknown, typed(wrongPassword)),
        wrong: requestFor('/leaky/login', known, typed(wrongPassword)),
      },
    },
    {
      name: 'control: a sign-up that hashes the password of new accounts only',
      status: 200,
      leaks: true,
      kinds: {
        unknown: requestFor('/leaky/sign-up', unknown, typed(wrongPassword)),
        known: requestFor('/leaky/sign-up', known, typed(wrongPassword)),
      },
    },
    {
      name: 'control: a reset that waits for its mail',
      status: 200,
      leaks: true,
      kinds: {
        unknown: requestFor('/leaky/request-reset', unknown, email),
        known: requestFor('/leaky/request-reset', known, email),
      },
    },
  ];
  // A wrong code is evaluated only if a code is pending.
  const prepare = [
    ...[...unknown, ...known, ...passwordless].map((each) => post(`${base}/email-code/send`, email(each))),
    ...[...unknownPhones, ...knownPhones].map((each) => post(`${base}/phone/send`, phone(each))),
  ];
  return { prepare, cases };
}

function post(path: string, body: object, cookie?: string): HttpRequest {
  // Each request comes from its own client, whose limits are unused.
  const client = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const headers = { 'X-Forwarded-For': client, ...(cookie !== undefined && { Cookie: cookie }) };
  return { method: 'POST', path, headers, body };
}
