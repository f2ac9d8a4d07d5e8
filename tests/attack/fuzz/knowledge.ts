/** What an attacker learns during a storm: everything that was answered, mailed and set, and how to answer with it. */
import type { MockIdentityProvider, SmsOutbox, SoftwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from '../../support/authenticator-app.js';
import type { Answer } from '../../support/http-client.js';
import type { TestService } from '../../support/make-service.js';
import { mutate } from './arbitraries.js';
import { encoded, Known, type DrawnRequest } from './requests.js';

export interface Sent {
  method: string;
  /** Below the place of the routers, with the query. */
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

/** Under which name the id of such an object is looked for. */
const idsOf: Record<string, string> = {
  ...{ org: 'orgs.id', orgs: 'orgs.id', apiKeys: 'api-keys.id', record: 'api-keys.id', user: 'userId' },
  ...{ passkey: 'passkeys.id', passkeys: 'passkeys.id', devices: 'devices.id', identities: 'identities.id' },
};

const most = 12;
const longest = 2_000;

export class Knowledge {
  private readonly known = new Map<string, unknown[]>();

  constructor(
    private readonly test: TestService,
    private readonly texts: SmsOutbox,
    private readonly authenticator: SoftwareAuthenticator,
    private readonly identityProvider: MockIdentityProvider,
  ) {}

  learn(name: string, value: unknown): void {
    const all = this.known.get(name) ?? [];
    this.known.set(name, [...all.filter((each) => each !== value), value].slice(-most));
  }

  /** Every text of an answer, by its name. */
  learnFrom(json: unknown, parent = ''): void {
    if (typeof json !== 'object' || json === null) return;
    for (const [key, value] of Object.entries(json)) {
      const name = Array.isArray(json) ? parent : key;
      if (typeof value === 'string') this.learn(key === 'id' ? (idsOf[parent] ?? 'id') : name, value);
      else this.learnFrom(value, name);
    }
    const { slug, id } = json as { slug?: unknown; id?: unknown };
    if (typeof slug === 'string') this.learn('orgs.id', parent === 'org' ? slug : id);
  }

  /** @param isSpared whose mail nobody reads. */
  async learnFromAnswer(
    { path }: Sent,
    { json, cookies, location, status }: Answer,
    isSpared: (to: string) => boolean,
  ): Promise<void> {
    this.learnFrom(json);
    for (const { name, value } of cookies) if (value !== '') this.learn(name, value);
    this.readMail(isSpared);
    const options = (json as { options?: { challenge?: string; user?: unknown } } | undefined)?.options;
    if (options?.challenge !== undefined) this.answerCeremony(options);
    const start =
      status === 302 && location !== undefined && path.includes('/start')
        ? location
        : (json as { url?: unknown } | undefined)?.url;
    if (typeof start === 'string' && start.startsWith(this.identityProvider.issuer)) {
      const back = await this.identityProvider.signIn(start, ['ada', 'bob', ''][path.length % 3]!);
      this.learn('callbackQuery', back.search.slice(1));
    }
    const secret = this.known.get('secret')?.at(-1);
    if (typeof secret === 'string') this.learn('code', codeAt(secret, this.test.clock.now()));
  }

  private readMail(isSpared: (to: string) => boolean): void {
    const { mail } = this.test;
    for (const { to, text } of mail.messages.filter((message) => !isSpared(message.to))) {
      this.learn('email', to);
      for (const [code] of text.matchAll(/^\d{6}$/gm)) this.learn('code', code);
      for (const [, token] of text.matchAll(/token=([\w.-]+)/g)) {
        this.learn('token', token);
        this.learn('linkQuery', `token=${token}`);
      }
    }
    for (const { body } of this.texts.messages) this.learn('code', /\d{6}/.exec(body)?.[0] ?? '');
    mail.clear();
    this.texts.clear();
  }

  private answerCeremony(options: object): void {
    try {
      const answer =
        'user' in options
          ? this.authenticator.create(options as never)
          : this.authenticator.get(options as never);
      this.learn('response', answer);
    } catch {
      // It has no key that was asked for, or holds one that must not be.
    }
  }

  private resolve(value: unknown): unknown {
    if (value instanceof Known) return this.lookUp(value);
    if (Array.isArray(value)) return value.map((each) => this.resolve(each));
    if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.resolve(each)]));
  }

  private lookUp({ name, nth, changes }: Known): unknown {
    const all = this.known.get(name) ?? [];
    const value = all[all.length - 1 - (nth % Math.max(1, all.length))] ?? (name === 'code' ? '123456' : 'x');
    const change = (text: string) =>
      mutate(
        text,
        changes,
        all.filter((each) => typeof each === 'string'),
      );
    if (changes.length === 0) return value;
    if (typeof value === 'string') return change(value);
    // An answer of an authenticator: somewhere in its text, if that is still JSON.
    const text = change(JSON.stringify(value));
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  private text(value: unknown): string {
    const resolved = this.resolve(value);
    return typeof resolved === 'string' ? resolved : JSON.stringify(resolved);
  }

  requestOf(drawn: DrawnRequest, ownCookies: readonly string[]): Sent {
    const path = drawn.path.map((part) =>
      // What is known by name is put in as a client would, the rest as it is.
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
    return Buffer.isBuffer(drawn) ? drawn : Buffer.from(JSON.stringify(this.resolve(drawn)) ?? '');
  }
}

/** What a client can put into a request line, and no more of it than a server takes. */
const printable = (text: string) => text.replace(/[^\x21-\x7e]/g, '').slice(0, longest);
const headerText = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 2 * longest);
