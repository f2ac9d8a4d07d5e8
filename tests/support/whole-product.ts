/**
 * The product as an attacker finds it: every provider configured, both routers mounted, every route in a list that the routers themselves
 * make. A route that is new is attacked from its first day.
 */
import express from 'express';
import type { StorageAdapter } from 'svc-auth';
import { outbox, smsOutbox, softwareAuthenticator, type MockIdentityProvider } from 'svc-auth/testing';
import { z } from 'zod';
import { codeAt } from './authenticator-app.js';
import { describedRoutes } from './described-answers.js';
import type { Answer } from './http-client.js';
import { openSite, type Account, type Site, type SiteOptions } from './http-site.js';
import { nobody, proProviders } from './make-pro-service.js';

export const encryptionKey = 'the key of the attacks, 32 bytes or more';
export const step = 30_000;

export interface WholeSite extends Site {
  texts: ReturnType<typeof smsOutbox>;
}

/** Where identity providers are on loopback; without them the routes are there, and nobody answers. */
export interface IdentityProviders {
  google?: MockIdentityProvider;
  acme?: MockIdentityProvider;
  /** By its endpoints: it speaks OAuth and no OpenID. */
  other?: MockIdentityProvider;
}

export const callbackOf = (path: string) => `https://app.test/api/auth${path}/callback`;

function oauthClient(name: string, idp: MockIdentityProvider | undefined) {
  if (idp) return { ...idp.client, ...(name === 'other' ? idp.endpoints : { issuer: idp.issuer }) };
  const at = `https://${name}.test`;
  const redirectUri = callbackOf(`/oauth/${name}`);
  const endpoints = {
    authorizationEndpoint: `${at}/a`,
    tokenEndpoint: `${at}/t`,
    userInfoEndpoint: `${at}/u`,
  };
  return { clientId: name, clientSecret: 'secret', redirectUri, ...endpoints };
}

function googleClient(idp: MockIdentityProvider | undefined) {
  if (idp) return { ...idp.client, issuer: idp.issuer };
  // Port 9 is closed: nobody answers.
  const [redirectUri, issuer] = [callbackOf('/google'), 'http://127.0.0.1:9'];
  return { clientId: 'google', clientSecret: 'secret', redirectUri, issuer };
}

/** Opens sites on a storage; each closes behind its test. */
export function wholeProduct(adapter?: () => StorageAdapter, idps: () => IdentityProviders = () => ({})) {
  const sites: Site[] = [];

  afterEach(async () => {
    const closed = await Promise.allSettled(sites.splice(0).map((site) => site.close()));
    for (const each of closed) if (each.status === 'rejected') throw each.reason;
  });

  return async ({ service = {}, ...options }: SiteOptions = {}): Promise<WholeSite> => {
    const mail = service.mail ?? outbox();
    const texts = smsOutbox();
    const { google, acme, other } = idps();
    const providers = {
      ...proProviders,
      sessions: { canImpersonate: () => true },
      account: { sender: mail },
      orgs: { sender: mail, inviteUrl: 'https://app.test/invite' },
      phoneOtp: { sender: texts },
      totp: true as const,
      webauthn: { rpId: 'app.test', origins: ['https://app.test'] },
      google: googleClient(google),
      oauth: { acme: oauthClient('acme', acme), other: oauthClient('other', other) },
      ...service.providers,
    };
    const site = await openSite(express, adapter?.(), {
      pro: true,
      ...options,
      service: { encryptionKey, ...service, mail, providers },
    });
    sites.push(site);
    return { ...site, texts };
  };
}

export interface Route {
  /** `POST /devices/revoke-others`. */
  name: string;
  method: string;
  /** With ids of nobody in the place of parameters. */
  path: string;
  access: string;
  redirects?: 'away' | 'back' | undefined;
  parameters: string[];
  /** JSON Schema of the body, where it has one. */
  schema?: Schema | undefined;
  pathWith: (value: string) => string;
}

interface Schema {
  type?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  format?: string;
}

export const everyRoute: Route[] = describedRoutes.map(({ method, path, access, redirects, body }) => ({
  name: `${method.toUpperCase()} ${path}`,
  method: method.toUpperCase(),
  path: path.replace(':name', 'acme').replace(/:\w+/g, nobody),
  access,
  redirects,
  parameters: [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!),
  schema: body && (z.toJSONSchema(body, { io: 'input' }) as Schema),
  pathWith: (value) => path.replace(/:\w+/g, value),
}));

/** The bodies that a route would take, one per alternative, with `valueOf` deciding on every text in them. */
export function bodiesOf(schema: Schema, valueOf: (name: string) => unknown = () => 'text'): object[] {
  return (schema.anyOf ?? [schema]).map((each) => sample(each, '', valueOf) as object);
}

function sample(schema: Schema, name: string, valueOf: (name: string) => unknown): unknown {
  const { type, properties = {}, format, anyOf } = schema;
  if (anyOf) return sample(anyOf[0]!, name, valueOf);
  if (type === 'object') {
    return Object.fromEntries(
      Object.entries(properties).map(([key, each]) => [key, sample(each, key, valueOf)]),
    );
  }
  if (type === 'array') return [];
  return format === 'date-time' ? '2199-01-01T00:00:00Z' : valueOf(name);
}

export interface Field {
  path: string[];
  kind: 'text' | 'list' | 'object';
}

/** Every field of a body, those of alternatives and of objects inside it included. */
export function fieldsOf({ anyOf, properties = {} }: Schema, above: string[] = []): Field[] {
  if (anyOf) return anyOf.flatMap((each) => fieldsOf(each, above));
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = [...above, name];
    const kind = schema.type === 'array' ? 'list' : schema.type === 'object' ? 'object' : 'text';
    return [{ path, kind } as const, ...fieldsOf(schema, path)];
  });
}

/** The body with another value in one place. */
export function withField(body: object, [name = '', ...below]: string[], value: unknown): object {
  const present = (body as Record<string, unknown>)[name];
  return { ...body, [name]: below.length > 0 ? withField(present ?? {}, below, value) : value };
}

/** Sends what a route would take, or the `body` that is given. */
export function callRoute(
  site: Site,
  route: Route,
  options: Parameters<Site['send']>[3] = {},
  body: unknown = route.schema && bodiesOf(route.schema)[0],
): Promise<Answer> {
  return site.send(route.method, route.path, body, options);
}

export const isIn = async (site: Site, cookie: string) =>
  (await site.get('/session', { cookie })).status === 200;

/** The claims of a token, unverified: what an attacker reads out of a cookie. */
export function readToken(cookieOrToken: string): Record<string, unknown> {
  const token = cookieOrToken.replace(/^[^=]*=/, '');
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
}

/** Enrols an app for who is signed in, over HTTP: the cookie that goes on, and the codes from the next step on. */
export async function enrolTotp(site: Site, cookie: string) {
  const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
  const code = () => codeAt(secret, site.clock.now());
  const confirmed = await site.post('/totp/confirm', { code: code() }, { cookie });
  expect(confirmed.status).toBe(200);
  site.clock.advance(step);
  return {
    answer: confirmed,
    cookie: confirmed.cookie(),
    secret: secret as string,
    code,
    recoveryCodes: confirmed.json.recoveryCodes as string[],
  };
}

/** Registers a passkey for who is signed in, over HTTP. */
export async function addPasskey(site: Site, cookie: string) {
  const authenticator = softwareAuthenticator({ origin: 'https://app.test' });
  const started = await site.post('/passkeys/register/start', undefined, { cookie });
  const response = authenticator.create(started.json.options);
  const both = `${cookie}; ${started.cookie('svc_webauthn')}`;
  const finished = await site.post('/passkeys/register/finish', { response }, { cookie: both });
  expect(finished.status).toBe(200);
  return authenticator;
}

/** A sign-in by passkey; `cookie`: what the browser has already. */
export async function signInByPasskey(
  site: Site,
  authenticator: ReturnType<typeof softwareAuthenticator>,
  cookie = 'theme=dark',
  lie: Parameters<(typeof authenticator)['get']>[1] = {},
): Promise<Answer> {
  const started = await site.post('/passkeys/authenticate/start');
  const response = authenticator.get(started.json.options, lie);
  const both = `${cookie}; ${started.cookie('svc_webauthn')}`;
  return site.post('/passkeys/authenticate/finish', { response }, { cookie: both });
}

/** A token pair for who is signed in. */
export async function issueTokens(site: Site, { cookie }: Pick<Account, 'cookie'>) {
  const answer = await site.post('/token/issue', {}, { cookie });
  expect(answer.status).toBe(200);
  return answer.json as { accessToken: string; refreshToken: string; familyId: string };
}
