/** The site under attack: both routers, every provider, and identity providers at which anyone can have an account. */
import { randomUUID } from 'node:crypto';
import express from 'express';
import type { StorageAdapter } from 'svc-auth';
import { mockIdentityProvider, outbox, smsOutbox, type MockIdentityProvider } from 'svc-auth/testing';
import type { HttpResponse } from '../../support/http-client.js';
import { openSite, type Site } from '../../support/http-site.js';
import { callbackUrl, clientOptions, encryptionKey, everyProvider } from '../../support/every-provider.js';
import { phoneSequence } from '../../support/site-actions.js';

/** The configured providers: the built-in one, a generic one that is trusted with addresses, and an untrusted one. */
export const providerRoutes = ['google', 'oauth/trusted', 'oauth/acme'] as const;
export type ProviderRoute = (typeof providerRoutes)[number];

/** One mock for each route, since each has a single redirect URI. All have the same accounts. */
export type IdentityProviders = Record<ProviderRoute, MockIdentityProvider>;

export interface Stage extends Site {
  idps: IdentityProviders;
  texts: ReturnType<typeof smsOutbox>;
  /** Returns an unused phone number. */
  phone: () => string;
  /** Creates an account with these claims at every provider, and returns its subject. */
  accountElsewhere(claims: object): string;
}

const phone = phoneSequence();

export async function openIdentityProviders(): Promise<IdentityProviders> {
  const open = (route: ProviderRoute) => mockIdentityProvider({ redirectUri: callbackUrl(`/${route}`) });
  const [google, trusted, acme] = await Promise.all([
    open('google'),
    open('oauth/trusted'),
    open('oauth/acme'),
  ]);
  return { google, 'oauth/trusted': trusted, 'oauth/acme': acme };
}

export async function openStage(adapter: StorageAdapter, idps: IdentityProviders): Promise<Stage> {
  const [mail, sms] = [outbox(), smsOutbox()];
  const oauth = {
    acme: clientOptions(idps['oauth/acme']),
    trusted: { ...clientOptions(idps['oauth/trusted']), linking: 'verified-email' as const },
  };
  const every = everyProvider({ mail, sms }, { google: clientOptions(idps.google), oauth });
  // The worst case: unverified accounts may have API keys.
  const providers = { ...every, apiKeys: { ...every.apiKeys, allowUnverified: true } };
  const site = await openSite(express, adapter, { pro: true, service: { mail, encryptionKey, providers } });
  const accountElsewhere = (claims: object) => {
    const subject = randomUUID();
    for (const { accounts } of Object.values(idps)) accounts.set(subject, { ...claims });
    return subject;
  };
  return { ...site, idps, texts: sms, phone, accountElsewhere };
}

/** Returns `name=value` of every cookie that the response sets. */
export function cookiesOf({ cookies }: HttpResponse): string {
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}

/** Signs in through an identity provider, in a browser without other cookies. */
export async function signInElsewhere(
  stage: Stage,
  route: ProviderRoute,
  subject: string,
): Promise<HttpResponse> {
  const started = await stage.get(`/${route}/start`);
  const { search } = await stage.idps[route].signIn(started.location!, subject);
  return stage.get(`/${route}/callback${search}`, { cookie: started.cookie('svc_oauth') });
}

/** Returns the user of the session that a response starts, or null if it starts none. */
export async function userOf(stage: Stage, response: HttpResponse): Promise<string | null> {
  const set = response.cookies.find(({ name, value }) => name === 'svc_session' && value !== '');
  return set ? sessionUser(stage, `svc_session=${set.value}`) : null;
}

/** Returns the user of a session, or null if the session is invalid. */
export async function sessionUser(stage: Stage, cookie: string): Promise<string | null> {
  const response = await stage.get('/session', { cookie });
  return response.status === 200 ? (response.json.user.id as string) : null;
}
