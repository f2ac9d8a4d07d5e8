// The range service for breached passwords, as a real server on loopback.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceConfig } from 'svc-auth';
import { makeService } from '../support/make-service.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';
import { resetToken } from '../support/password-accounts.js';

type Breached = NonNullable<NonNullable<ServiceConfig['providers']>['emailPassword']>['breachedPasswords'];

const leaked = 'a leaked password';
const padded = 'only padding lists it';
const fine = 'a fine password';
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();
const people = { count: 0 };
const newEmail = () => `person-${(people.count += 1)}@example.com`;

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** Lists every suffix of the range, with padding, as the public service does. */
const listed: Respond = ({ url = '' }, response) => {
  const prefix = url.slice(-5);
  const lines = [`${'0'.repeat(34)}1:0`, `${'F'.repeat(35)}:3`];
  if (sha1(leaked).startsWith(prefix)) lines.push(`${sha1(leaked).slice(5)}:1234`);
  if (sha1(padded).startsWith(prefix)) lines.push(`${sha1(padded).slice(5)}:0`);
  response.end(lines.join('\r\n'));
};

let respond: Respond;
const requests: IncomingMessage[] = [];
const server = createServer((request, response) => {
  requests.push(request);
  respond(request, response);
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  respond = listed;
  requests.length = 0;
});

const make = (breachedPasswords: Breached) =>
  makeService({ providers: { emailPassword: { breachedPasswords } } });
const usual = () => make({ url });

describe('breachedPasswords', () => {
  //
  it('refuses a leaked password with the reason breached, and accepts others', async () => {
    const { service } = await usual();
    const signUp = (password: string) => service.emailPassword.signup({ email: newEmail(), password });
    expect(await errorOf(() => signUp(leaked))).toMatchObject({ code: 'weak_password', reason: 'breached' });
    expect(await outcomeOf(() => signUp(fine))).toBe('ok');
    // Padding is listed as leaked zero times.
    expect(await outcomeOf(() => signUp(padded))).toBe('ok');
  });

  it('compares the password as typed', async () => {
    const { service } = await usual();
    const signUp = service.emailPassword.signup({ email: newEmail(), password: leaked.toUpperCase() });
    expect((await signUp).user.id).toBeDefined();
  });

  it('sends five digits of the digest and asks for padding, and nothing else about the user', async () => {
    const { service } = await usual();
    await service.emailPassword.signup({ email: 'ada@example.com', password: fine });
    expect(requests).toHaveLength(1);
    const { method, url: path, headers } = requests[0]!;
    expect([method, path]).toEqual(['GET', `/range/${sha1(fine).slice(0, 5)}`]);
    expect(headers['add-padding']).toBe('true');
    const sent = JSON.stringify([path, headers]);
    for (const secret of [sha1(fine).slice(0, 6), fine, 'ada', 'Acme']) expect(sent).not.toContain(secret);
  });

  it('is off by default, and is not asked about a password that is refused without it', async () => {
    const off = await makeService();
    await off.service.emailPassword.signup({ email: newEmail(), password: leaked });
    const { service } = await usual();
    for (const password of ['short', 'password1', 'acme2026'])
      await outcomeOf(() => service.emailPassword.signup({ email: newEmail(), password }));
    expect(requests).toEqual([]);
  });

  it('is not asked at a login', async () => {
    const { service } = await usual();
    const person = { email: newEmail(), password: fine };
    await service.emailPassword.signup(person);
    requests.length = 0;
    await service.emailPassword.login(person);
    expect(requests).toEqual([]);
  });

  it('is asked at most a hundred times in 15 minutes for one user or one link, and 200 times for one client', async () => {
    const ip = '203.0.113.9';
    const asked = async (attempts: (() => Promise<unknown>)[]) => {
      requests.length = 0;
      const outcomes = new Map<string, number>();
      for (const attempt of attempts) {
        const outcome = await outcomeOf(attempt);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
      return { requests: requests.length, ...Object.fromEntries(outcomes) };
    };
    const times = (count: number, attempt: () => Promise<unknown>) =>
      Array<typeof attempt>(count).fill(attempt);
    const test = await usual();
    const { emailPassword } = test.service;
    const change =
      (userId: string, context = {}) =>
      () =>
        emailPassword.changePassword({ userId, currentPassword: 'wrong', newPassword: leaked }, context);
    const signUp = async () => (await emailPassword.signup({ email: newEmail(), password: fine })).user;
    const [ada, bob, eve, dan] = [await signUp(), await signUp(), await signUp(), await signUp()];
    const most = { requests: 100, weak_password: 100, rate_limit_exceeded: 2 };
    expect(await asked(times(102, change(ada.id)))).toEqual(most);
    const token = await resetToken(test, ada.email!);
    const reset = () => emailPassword.setPassword({ token, newPassword: leaked });
    expect(await asked(times(102, reset))).toEqual(most);
    const ofClient = [bob, eve, dan].flatMap(({ id }) => times(70, change(id, { ip })));
    expect(await asked(ofClient)).toEqual({ requests: 200, weak_password: 200, rate_limit_exceeded: 10 });
    test.clock.advance(15 * 60_000);
    expect(await asked([change(ada.id)])).toEqual({ requests: 1, weak_password: 1 });
  });

  it.each<[string, Respond, string]>([
    ['an error', (_, response) => response.writeHead(503).end('busy'), 'status 503'],
    ['not found', (_, response) => response.writeHead(404).end(), 'status 404'],
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
      'no response',
    ],
    ['no response', ({ socket }) => socket.destroy(), 'UND_ERR_SOCKET'],
    ['more than 1 MB', (_, response) => response.end('x'.repeat(2 ** 20 + 1)), 'more than 1 MB'],
  ])('accepts the password if the service responds with %s, and logs why', async (_name, answer, reason) => {
    respond = answer;
    const test = await usual();
    await test.service.emailPassword.signup({ email: newEmail(), password: leaked });
    const lines = test.log.filter(({ level }) => level === 'warn');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.fields).toEqual({ event: 'breach_check_failed', reason });
    expect(JSON.stringify(test.log)).not.toContain(sha1(leaked).slice(0, 5));
  });

  it('accepts the password after the timeout', async () => {
    respond = () => undefined;
    const test = await make({ url, timeoutMs: 50 });
    await test.service.emailPassword.signup({ email: newEmail(), password: leaked });
    expect(test.log.filter(({ level }) => level === 'warn').map(({ fields }) => fields)).toEqual([
      { event: 'breach_check_failed', reason: 'timeout' },
    ]);
  });

  it('accepts the password if a response never ends', async () => {
    respond = (_, response) => void response.write('0'.repeat(40));
    const test = await make({ url, timeoutMs: 50 });
    expect(
      await outcomeOf(() => test.service.emailPassword.signup({ email: newEmail(), password: leaked })),
    ).toBe('ok');
  });

  it('accepts any response that is not a list, without an error', async () => {
    for (const body of [
      '',
      '\n\n',
      ':::',
      'null',
      `${sha1(leaked).slice(5)}`,
      `${sha1(leaked).slice(5)}:x`,
    ]) {
      respond = (_, response) => response.end(body);
      const { service } = await usual();
      const signUp = () => service.emailPassword.signup({ email: newEmail(), password: leaked });
      expect([body, await outcomeOf(signUp)]).toEqual([body, 'ok']);
    }
  });

  it('is not asked for half a minute after three failures in a row, so that users do not wait for it', async () => {
    respond = (_, response) => response.writeHead(500).end();
    const test = await usual();
    for (let i = 0; i < 10; i += 1)
      await test.service.emailPassword.signup({ email: newEmail(), password: leaked });
    expect(requests).toHaveLength(3);
    expect(test.log.filter(({ level }) => level === 'warn')).toHaveLength(3);
  });

  it('is asked again after a failure that is followed by a response', async () => {
    const test = await usual();
    for (let i = 0; i < 9; i += 1) {
      respond = i % 3 === 2 ? listed : (_, response) => response.writeHead(500).end();
      await test.service.emailPassword.signup({ email: newEmail(), password: fine });
    }
    expect(requests).toHaveLength(9);
  });

  it.each(['http://range.example.com/', 'ftp://127.0.0.1/', 'range'])('refuses the url %s', async (wrong) => {
    await expect(make({ url: wrong })).rejects.toThrow(/breachedPasswords/);
  });
});
