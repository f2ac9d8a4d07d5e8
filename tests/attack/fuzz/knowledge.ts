/** What an attacker learns during a storm from responses, mails and cookies, and how requests use it. */
import { softwareAuthenticator, type MockIdentityProvider, type SmsOutbox } from 'svc-auth/testing';
import { codeAt } from '../../support/authenticator-app.js';
import type { HttpResponse } from '../../support/http-client.js';
import type { TestService } from '../../support/make-service.js';
import { mutate } from './arbitraries.js';
import { encoded, Known, type Caller, type DrawnRequest } from './drawn.js';

export interface Sent {
  method: string;
  /** Below the mount path of the routers, with the query. */
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

/** The name under which the id of an object is learned, by the key of the object. */
const idsOf: Record<string, string> = {
  ...{ org: 'orgs.id', orgs: 'orgs.id', apiKeys: 'api-keys.id', record: 'api-keys.id', user: 'userId' },
  ...{ passkey: 'passkeys.id', passkeys: 'passkeys.id', devices: 'devices.id', identities: 'identities.id' },
  ...{ invite: 'inviteId', invites: 'inviteId', families: 'tokens.id', app: 'apps.id', apps: 'apps.id' },
};

const nameOf = (key: string, parent: string) => {
  if (key === 'id') return idsOf[parent] ?? 'id';
  return parent === 'user' && key === 'email' ? 'address' : key;
};

const maxValues = 12;
const maxLength = 2_000;

export class Knowledge {
  private readonly known = new Map<string, unknown[]>();
  private authenticator = softwareAuthenticator();
  private runs = 0;

  /** @param storm number of the storm on its storage: its newcomers are unique to it. */
  constructor(
    private readonly test: TestService,
    private readonly texts: SmsOutbox,
    private readonly identityProvider: MockIdentityProvider,
    private readonly storm: number,
  ) {}

  /** @param of the owner: a caller or an address. */
  learn(name: string, value: unknown, of?: string): void {
    for (const each of of === undefined ? [name] : [name, `${name} of ${of}`]) {
      const all = this.known.get(each) ?? [];
      this.known.set(each, [...all.filter((other) => other !== value), value].slice(-maxValues));
    }
  }

  /** Forgets owned values and renames newcomers, so that a repeated run has the same result. */
  begin(): void {
    this.runs += 1;
    for (const name of this.known.keys()) if (name.includes(' of ')) this.known.delete(name);
  }

  /** Learns every string of a response body by its name. */
  learnFrom(json: unknown, caller: Caller, parent = ''): void {
    if (typeof json !== 'object' || json === null) return;
    for (const [key, value] of Object.entries(json)) {
      const name = Array.isArray(json) ? parent : key;
      if (typeof value === 'string') this.learn(nameOf(name, parent), value, caller);
      else this.learnFrom(value, caller, name);
    }
    const { slug, id } = json as { slug?: unknown; id?: unknown };
    if (typeof slug === 'string') this.learn('orgs.id', parent === 'org' ? slug : id, caller);
  }

  /** @param isSpared whether mail to an address is left unread. */
  async learnFromAnswer(
    { path }: Sent,
    { json, cookies, location, status }: HttpResponse,
    { caller, subject }: Pick<DrawnRequest, 'caller' | 'subject'>,
    isSpared: (to: string) => boolean,
  ): Promise<void> {
    this.learnFrom(json, caller);
    for (const { name, value } of cookies) if (value !== '') this.learn(name, value, caller);
    this.readMail(isSpared);
    const options = (json as { options?: { challenge?: string; user?: unknown } } | undefined)?.options;
    if (options?.challenge !== undefined) this.answerCeremony(options, caller);
    const start =
      status === 302 && location !== undefined && path.includes('/start')
        ? location
        : (json as { url?: unknown } | undefined)?.url;
    if (typeof start === 'string' && start.startsWith(this.identityProvider.issuer)) {
      this.learn(
        'callbackQuery',
        await this.signedInQuery(start, subject ?? others[path.length % 3]!),
        caller,
      );
    }
  }

  private async signedInQuery(start: string, subject: string): Promise<string> {
    const { accounts } = this.identityProvider;
    const person = this.own(subject);
    if (person !== '' && !accounts.has(person))
      accounts.set(person, { email: `${person}@example.com`, email_verified: true });
    return (await this.identityProvider.signIn(start, person)).search.slice(1);
  }

  private readMail(isSpared: (to: string) => boolean): void {
    const { mail } = this.test;
    for (const { to, text } of mail.messages.filter((message) => !isSpared(message.to))) {
      this.learn('email', to);
      for (const [code] of text.matchAll(/^\d{6}$/gm)) this.learn('code', code, to);
      for (const [, token] of text.matchAll(/token=([\w.-]+)/g)) {
        this.learn('token', token, to);
        this.learn('linkQuery', `token=${token}`, to);
      }
    }
    for (const { to, body } of this.texts.messages) this.learn('code', /\d{6}/.exec(body)?.[0] ?? '', to);
    mail.clear();
    this.texts.clear();
  }

  private answerCeremony(options: object, caller: Caller): void {
    try {
      const response =
        'user' in options ? this.newPasskey(options) : this.authenticator.get(options as never);
      this.learn('response', response, caller);
    } catch {
      // The authenticator has none of the requested keys.
    }
  }

  private newPasskey(options: object) {
    try {
      return this.authenticator.create(options as never);
    } catch {
      // An authenticator that has a key must not create a second one: use a new one.
      this.authenticator = softwareAuthenticator();
      return this.authenticator.create(options as never);
    }
  }

  private own(text: string): string {
    return text.replace('newcomer-', `newcomer-${this.storm}-${this.runs}-`);
  }

  private resolve(value: unknown): unknown {
    if (value instanceof Known) return this.lookUp(value);
    if (typeof value === 'string') return this.own(value);
    if (Array.isArray(value)) return value.map((each) => this.resolve(each));
    if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.resolve(each)]));
  }

  /** Returns the codes that authenticator apps show at this moment. */
  private readApp(of: string): unknown[] {
    const secrets = this.known.get(`secret${of}`) ?? [];
    return secrets.map((secret) => codeAt(String(secret), this.test.clock.now()));
  }

  private lookUp({ name, nth, changes, of }: Known): unknown {
    const whose = of === undefined ? '' : ` of ${this.text(of)}`;
    const all = name === 'totp' ? this.readApp(whose) : (this.known.get(name + whose) ?? []);
    const value =
      all[all.length - 1 - (nth % Math.max(1, all.length))] ?? (/code|totp/.test(name) ? '123456' : 'x');
    if (changes.length === 0) return value;
    const others = all.filter((each) => typeof each === 'string');
    if (typeof value === 'string') return mutate(value, changes, others);
    // The response of an authenticator is mutated in its JSON, if that is still JSON afterwards.
    const text = mutate(JSON.stringify(value), changes, others);
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  private text(value: unknown): string {
    const resolved = this.resolve(value);
    return typeof resolved === 'string' ? resolved : (JSON.stringify(resolved) ?? '');
  }

  requestOf(drawn: DrawnRequest, ownCookies: readonly string[]): Sent {
    const path = drawn.path.map((part) =>
      // A reference is encoded as a client would, other values are sent unchanged.
      part instanceof Known ? encoded(this.text(part)) : printable(this.text(part)).replace(/[?#]/g, ''),
    );
    const query = drawn.query.map((part) => printable(this.text(part)));
    const [before, behind] = drawn.cookies.map((some) =>
      (some as unknown[]).map((each) => this.cookie(each)),
    );
    const cookies = [...before!, ...ownCookies, ...behind!].join('; ');
    const headers = Object.entries(drawn.headers).map(([name, value]) => {
      const parts = Array.isArray(value) ? value.map((each) => this.text(each)).join('') : this.text(value);
      return [name, headerText(parts).slice(0, 900)] as const;
    });
    return {
      method: drawn.method,
      path: `/${path.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}`,
      headers: {
        ...(drawn.body !== undefined && { 'content-type': 'application/json' }),
        ...(cookies !== '' && { cookie: headerText(cookies) }),
        ...Object.fromEntries(headers),
      },
      body: drawn.body === undefined ? undefined : this.body(drawn.body),
    };
  }

  private cookie(drawn: unknown): string {
    return Array.isArray(drawn) ? `${String(drawn[0])}=${this.text(drawn[1])}` : this.text(drawn);
  }

  private body(drawn: unknown): Buffer {
    if (Buffer.isBuffer(drawn)) return drawn;
    const resolved = this.resolve(drawn);
    // A form body.
    if (drawn instanceof Known && typeof resolved === 'string') return Buffer.from(resolved);
    return Buffer.from(JSON.stringify(resolved) ?? '');
  }
}

/** Who signs in at the identity provider if the request names no one; '' cancels the sign-in. */
const others = ['ada', 'bob', ''];

/** Keeps what a client can put into a request line, up to a length that a server accepts. */
const printable = (text: string) => text.replace(/[^\x21-\x7e]/g, '').slice(0, maxLength);
const headerText = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 2 * maxLength);
