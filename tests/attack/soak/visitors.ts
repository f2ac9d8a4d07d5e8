/** The visits of the soak test: each is a complete use case over HTTP, and every unexpected response is recorded. */
import { setTimeout as sleep } from 'node:timers/promises';
import { softwareAuthenticator, type SoftwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from '../../support/authenticator-app.js';
import type { HttpResponse, HttpClient } from '../../support/http-client.js';

export interface Person {
  email: string;
  password?: string;
  /** The secret of the authenticator app, if one is enrolled. */
  secret?: string;
  authenticator?: SoftwareAuthenticator;
}

export interface World {
  client: HttpClient;
  /** The time by the application's clock. */
  now: () => number;
  /** The newest message to each address or number; reading it removes it. */
  mailbox: Map<string, string>;
  /** How often each visit succeeded, and what failed. */
  visits: Map<string, number>;
  faults: string[];
  answers: { count: number };
}

const password = 'correct horse battery';
let numbers = 0;

/** A browser with its own cookies and client address. */
export class Browser {
  private readonly cookies = new Map<string, string>();
  private readonly ip = [10, ...Array.from({ length: 3 }, () => Math.floor(Math.random() * 256))].join('.');

  constructor(readonly world: World) {}

  /** Sends a request. Throws if the response does not have this status. */
  async ask(
    status: number,
    method: string,
    route: string,
    body?: object,
    headers: Record<string, string> = {},
  ) {
    const path = route.startsWith('/machine') ? route : `/api/auth${route}`;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.world.client.send({
      method,
      path,
      headers: { 'X-Forwarded-For': this.ip, ...(cookie && { Cookie: cookie }), ...headers },
      body: body ?? (method === 'POST' ? {} : undefined),
    });
    this.world.answers.count += 1;
    for (const { name, value } of response.cookies) {
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    if (response.status !== status) {
      throw new Error(
        `${method} ${route} returned ${response.status} ${response.text.slice(0, 120)}, expected ${status}`,
      );
    }
    return response;
  }

  get = (route: string, status = 200) => this.ask(status, 'GET', route);
  post = (route: string, body?: object, status = 200) => this.ask(status, 'POST', route, body);

  async mailed(to: string): Promise<string> {
    for (let tries = 0; tries < 200; tries += 1) {
      const text = this.world.mailbox.get(to);
      this.world.mailbox.delete(to);
      if (text !== undefined) return text;
      await sleep(10);
    }
    throw new Error('No message arrived in a mailbox.');
  }

  async code(to: string): Promise<string> {
    return /(?<!\w)\d{6}(?!\w)/.exec(await this.mailed(to))?.[0] ?? '';
  }

  async token(to: string): Promise<string> {
    return /(?<=token=)[\w.-]+/.exec(await this.mailed(to))?.[0] ?? '';
  }

  /** Signs in by code, with the second factor if the person has enrolled one. */
  async signIn({ email, secret }: Person): Promise<HttpResponse> {
    await this.post('/email-code/send', { email });
    const code = await this.code(email);
    if (!secret) return this.post('/email-code/verify', { email, code });
    await this.post('/email-code/verify', { email, code }, 403);
    return this.post('/mfa/verify', { code: codeAt(secret, this.world.now()) });
  }
}

/** Visits by a person who has no other visit at the same time. */
export const visits: Record<string, (browser: Browser, person: Person) => Promise<unknown>> = {
  async 'code, wrong and right'(browser, { email, secret }) {
    await browser.post('/email-code/send', { email });
    const code = await browser.code(email);
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    await browser.post('/email-code/verify', { email, code: wrong }, 401);
    await browser.post('/email-code/verify', { email, code }, secret ? 403 : 200);
    // The code is used up.
    await browser.post('/email-code/verify', { email, code }, 401);
  },

  async link(browser, { email }) {
    await browser.post('/magic-link/send', { email });
    const token = await browser.token(email);
    await browser.get(`/magic-link/verify?token=${token}`, 302);
    await browser.get(`/magic-link/verify?token=${token}`, 302);
  },

  async 'password, reset, login and logout'(browser, person) {
    await browser.post('/password/request-reset', { email: person.email });
    const token = await browser.token(person.email);
    const newPassword = `${password} ${(numbers += 1)}`;
    await browser.post('/password/reset', { token, newPassword });
    await browser.post('/password/reset', { token, newPassword }, 401);
    // The change sends a separate notice.
    person.password = newPassword;
    await browser.post('/password/login', { email: person.email, password: 'a wrong password' }, 401);
    await browser.post(
      '/password/login',
      { email: person.email, password: newPassword },
      person.secret ? 403 : 200,
    );
    await browser.post('/logout');
    await browser.get('/session', 401);
  },

  async 'sessions and devices'(browser, person) {
    await browser.signIn(person);
    for (let i = 0; i < 8; i += 1) await browser.get('/session');
    await new Browser(browser.world).get('/session', 401);
    await browser.get('/devices');
    if (numbers % 3 === 0) await browser.post('/devices/revoke-others');
  },

  async 'refresh tokens'(browser, person) {
    await browser.signIn(person);
    let { refreshToken } = (await browser.post('/token/issue')).json as { refreshToken: string };
    for (let i = 0; i < 4; i += 1) {
      ({ refreshToken } = (await browser.post('/token/refresh', { refreshToken })).json as {
        refreshToken: string;
      });
    }
    if ((numbers += 1) % 2 === 0) await browser.post('/token/revoke', { refreshToken });
  },

  async 'API keys'(browser, person) {
    await browser.signIn(person);
    const created = (await browser.post('/api-keys', { name: 'a key', scopes: ['read'] })).json as {
      key: string;
      record: { id: string };
    };
    for (let i = 0; i < 4; i += 1)
      await browser.ask(200, 'GET', '/machine', undefined, { 'X-Api-Key': created.key });
    await browser.ask(200, 'DELETE', `/api-keys/${created.record.id}`);
    await browser.ask(401, 'GET', '/machine', undefined, { 'X-Api-Key': created.key });
  },

  async 'organization and invite'(browser, person) {
    await browser.signIn(person);
    const { org } = (await browser.post('/orgs', { name: 'An organization' })).json as {
      org: { id: string };
    };
    const invited = { email: `invited-${(numbers += 1)}@example.com` };
    await browser.post(`/orgs/${org.id}/invites`, { email: invited.email, role: 'member' });
    const token = await browser.token(invited.email);
    const other = new Browser(browser.world);
    await other.signIn(invited);
    if (numbers % 2 === 0) await other.post('/orgs/invites/accept', { token });
    await browser.get(`/orgs/${org.id}/members`);
    await browser.ask(200, 'DELETE', `/orgs/${org.id}`);
    await other.ask(200, 'DELETE', '/account');
  },

  async guest(browser) {
    await browser.post('/guest');
    await browser.get('/session');
  },

  async 'guest upgrade'(browser, _person) {
    const email = `guest-${(numbers += 1)}@example.com`;
    await browser.post('/guest');
    await browser.post('/guest/upgrade/send', { email });
    await browser.post('/guest/upgrade', { email, code: await browser.code(email) });
    await browser.ask(200, 'DELETE', '/account');
  },

  async phone(browser) {
    const phone = `+1202555${String(100 + ((numbers += 1) % 100)).padStart(4, '0')}`;
    await browser.post('/phone/send', { phone });
    await browser.post('/phone/verify', { phone, code: await browser.code(phone) });
    await browser.ask(200, 'DELETE', '/account');
  },

  async 'authenticator app'(browser, person) {
    await browser.signIn(person);
    if (person.secret) {
      await browser.post('/totp/disable');
      delete person.secret;
      return;
    }
    const { secret } = (await browser.post('/totp/enroll')).json as { secret: string };
    await browser.post('/totp/confirm', { code: codeAt(secret, browser.world.now()) });
    person.secret = secret;
  },

  async passkey(browser, person) {
    await browser.signIn(person);
    person.authenticator ??= softwareAuthenticator();
    if (person.authenticator.credentials.length === 0) {
      const start = (await browser.post('/passkeys/register/start')).json as { options: never };
      const response = person.authenticator.create(start.options);
      await browser.post('/passkeys/register/finish', { response });
    }
    await browser.post('/logout');
    const start = (await browser.post('/passkeys/authenticate/start')).json as { options: never };
    const response = person.authenticator.get(start.options);
    await browser.post('/passkeys/authenticate/finish', { response });
    // A challenge that is never used.
    await new Browser(browser.world).post('/passkeys/authenticate/start');
  },

  async 'sends over the limit'(browser) {
    const email = `impatient-${(numbers += 1)}@example.com`;
    for (let i = 0; i < 5; i += 1) await browser.post('/email-code/send', { email });
    await browser.post('/email-code/send', { email }, 429);
    browser.world.mailbox.delete(email);
  },

  async 'unread mail'(browser) {
    const email = `absent-${(numbers += 1)}@example.com`;
    await browser.post('/magic-link/send', { email });
    await browser.post('/password/request-reset', { email });
    await browser.post('/password/login', { email, password }, 401);
    browser.world.mailbox.delete(email);
  },
};

export async function signUp(world: World): Promise<Person> {
  const person = { email: `person-${(numbers += 1)}@example.com`, password };
  const browser = new Browser(world);
  await browser.post('/password/signup', person);
  await browser.post('/account/verify-email/send');
  await browser.post('/account/verify-email', { code: await browser.code(person.email) });
  return person;
}

/** Deletes the account with everything that belongs to it. */
export async function leave(world: World, person: Person): Promise<void> {
  const browser = new Browser(world);
  await browser.signIn(person);
  await browser.get('/account/export');
  await browser.ask(200, 'DELETE', '/account');
}
