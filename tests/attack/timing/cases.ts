/** What is measured: a case is one request about several kinds of people, whom nobody may tell from each other by the time. */
import { randomInt } from 'node:crypto';
import type { SentRequest } from '../../support/http-client.js';
import type { Ready } from './server.js';

/** The request of the n-th time. Each kind has as many people as any other, so that all have the same past. */
export type Kind = (time: number) => SentRequest;

export interface Case {
  name: string;
  status: number;
  kinds: Record<string, Kind>;
  /** It leaks on purpose: a measure that does not see this one has seen nothing. */
  leaks?: true;
}

const base = '/api/auth';
const wrongPassword = 'not the password';
const tooLong = 'x'.repeat(5_000);

/** @returns the cases, and what is sent before anything is measured. */
export function casesOf({ known, outdated, passwordless, knownPhones, cookie }: Ready): {
  prepare: SentRequest[];
  cases: Case[];
} {
  const count = known.length;
  const addresses = (from: number) =>
    Array.from({ length: count }, (_, i) => `person-${from + i}@example.com`);
  const [unknown, others] = [addresses(500_000), addresses(600_000)];
  const unknownPhones = knownPhones.map((phone) => phone.replace('+4915123', '+4915124'));
  const about =
    (path: string, subjects: readonly string[], bodyOf: (subject: string) => object, own?: string): Kind =>
    (time) =>
      post(path, bodyOf(subjects[time % subjects.length]!), own);
  const email = (subject: string) => ({ email: subject });
  const phone = (subject: string) => ({ phone: subject });
  const typed = (password: string) => (subject: string) => ({ email: subject, password });
  const guess = <Body>(bodyOf: (subject: string) => Body) => {
    return (subject: string) => ({ ...bodyOf(subject), code: 'wrong!' });
  };

  const login = `${base}/password/login`;
  const cases: Case[] = [
    {
      name: 'POST /password/login',
      status: 401,
      kinds: {
        unknown: about(login, unknown, typed(wrongPassword)),
        wrong: about(login, known, typed(wrongPassword)),
        passwordless: about(login, passwordless, typed(wrongPassword)),
        'too long': about(login, known, typed(tooLong)),
        'outdated hash': about(login, outdated, typed(wrongPassword)),
        'unknown again': about(login, others, typed(wrongPassword)),
      },
    },
    ...['/password/request-reset', '/email-code/send', '/magic-link/send'].map((route) => ({
      name: `POST ${route}`,
      status: 200,
      kinds: {
        unknown: about(`${base}${route}`, unknown, email),
        known: about(`${base}${route}`, known, email),
        passwordless: about(`${base}${route}`, passwordless, email),
      },
    })),
    {
      name: 'POST /email-code/verify, a wrong code',
      status: 401,
      kinds: {
        unknown: about(`${base}/email-code/verify`, unknown, guess(email)),
        known: about(`${base}/email-code/verify`, known, guess(email)),
        passwordless: about(`${base}/email-code/verify`, passwordless, guess(email)),
      },
    },
    {
      name: 'POST /phone/send',
      status: 200,
      kinds: {
        unknown: about(`${base}/phone/send`, unknownPhones, phone),
        known: about(`${base}/phone/send`, knownPhones, phone),
      },
    },
    {
      name: 'POST /phone/verify, a wrong code',
      status: 401,
      kinds: {
        unknown: about(`${base}/phone/verify`, unknownPhones, guess(phone)),
        known: about(`${base}/phone/verify`, knownPhones, guess(phone)),
      },
    },
    {
      name: 'POST /account/email, by somebody else',
      status: 200,
      kinds: {
        unknown: about(`${base}/account/email`, unknown, email, cookie),
        known: about(`${base}/account/email`, known, email, cookie),
      },
    },
    {
      name: 'control: a login without a decoy',
      status: 401,
      leaks: true,
      kinds: {
        unknown: about('/leaky/login', unknown, typed(wrongPassword)),
        wrong: about('/leaky/login', known, typed(wrongPassword)),
      },
    },
    {
      name: 'control: a reset that waits for its mail',
      status: 200,
      leaks: true,
      kinds: {
        unknown: about('/leaky/request-reset', unknown, email),
        known: about('/leaky/request-reset', known, email),
      },
    },
  ];
  // A wrong code needs one that is right.
  const prepare = [
    ...[...unknown, ...known, ...passwordless].map((each) => post(`${base}/email-code/send`, email(each))),
    ...[...unknownPhones, ...knownPhones].map((each) => post(`${base}/phone/send`, phone(each))),
  ];
  return { prepare, cases };
}

function post(path: string, body: object, cookie?: string): SentRequest {
  // From a client of its own, whose limits nothing has touched yet.
  const client = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const headers = { 'X-Forwarded-For': client, ...(cookie !== undefined && { Cookie: cookie }) };
  return { method: 'POST', path, headers, body };
}
