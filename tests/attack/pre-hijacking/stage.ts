/** Where it happens: an application with both routers, every provider, and an identity provider that anybody can have accounts at. */
import { randomUUID } from 'node:crypto';
import express from 'express';
import type { StorageAdapter } from 'svc-auth';
import { mockIdentityProvider, outbox, smsOutbox, type MockIdentityProvider } from 'svc-auth/testing';
import type { Answer } from '../../support/http-client.js';
import { openSite, type Site } from '../../support/http-site.js';
import { callbackOf, clientOf, encryptionKey, everyProvider } from '../../support/every-provider.js';
import { phoneNumbers } from '../../support/people.js';

/** How the identity provider is configured: by the built-in provider, by a generic one that may speak for addresses, by one that may not. */
export const doors = ['google', 'oauth/trusted', 'oauth/acme'] as const;
export type Door = (typeof doors)[number];

/** One for each door, as a provider is told one address to come back to. All have the same accounts. */
export type IdentityProviders = Record<Door, MockIdentityProvider>;

export interface Stage extends Site {
  idps: IdentityProviders;
  texts: ReturnType<typeof smsOutbox>;
  /** A number that nobody used before. */
  phone: () => string;
  /** A new account elsewhere, with these claims: its subject. */
  accountElsewhere(claims: object): string;
}

const phone = phoneNumbers();

export async function openIdentityProviders(): Promise<IdentityProviders> {
  const open = (door: Door) => mockIdentityProvider({ redirectUri: callbackOf(`/${door}`) });
  const [google, trusted, acme] = await Promise.all([
    open('google'),
    open('oauth/trusted'),
    open('oauth/acme'),
  ]);
  return { google, 'oauth/trusted': trusted, 'oauth/acme': acme };
}

export async function openStage(adapter: StorageAdapter, idps: IdentityProviders): Promise<Stage> {
  const [mail, texts] = [outbox(), smsOutbox()];
  const oauth = {
    acme: clientOf(idps['oauth/acme']),
    trusted: { ...clientOf(idps['oauth/trusted']), linking: 'verified-email' as const },
  };
  const every = everyProvider({ mail, texts }, { google: clientOf(idps.google), oauth });
  // The worst case: accounts that can be reclaimed may have keys.
  const providers = { ...every, apiKeys: { ...every.apiKeys, allowUnverified: true } };
  const site = await openSite(express, adapter, { pro: true, service: { mail, encryptionKey, providers } });
  const accountElsewhere = (claims: object) => {
    const subject = randomUUID();
    for (const { accounts } of Object.values(idps)) accounts.set(subject, { ...claims });
    return subject;
  };
  return { ...site, idps, texts, phone, accountElsewhere };
}

/** `name=value` of every cookie that the answer sets. */
export function cookiesOf({ cookies }: Answer): string {
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}

/** The whole way through the identity provider, in a browser with no other cookie. */
export async function signInElsewhere(stage: Stage, door: Door, subject: string): Promise<Answer> {
  const started = await stage.get(`/${door}/start`);
  const { search } = await stage.idps[door].signIn(started.location!, subject);
  return stage.get(`/${door}/callback${search}`, { cookie: started.cookie('svc_oauth') });
}

/** The user of the session that an answer sets, or null where it sets none. */
export async function userOf(stage: Stage, answer: Answer): Promise<string | null> {
  const set = answer.cookies.find(({ name, value }) => name === 'svc_session' && value !== '');
  return set ? sessionUser(stage, `svc_session=${set.value}`) : null;
}

/** The user of a session, or null where it is none. */
export async function sessionUser(stage: Stage, cookie: string): Promise<string | null> {
  const answer = await stage.get('/session', { cookie });
  return answer.status === 200 ? (answer.json.user.id as string) : null;
}
