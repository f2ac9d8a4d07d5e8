/** The whole product on one site, as an attacker finds it: every provider configured, and both routers. A site closes behind its test. */
import express from 'express';
import type { StorageAdapter } from 'svc-auth';
import {
  mockIdentityProvider,
  outbox,
  smsOutbox,
  type MockIdentityProvider,
  type SmsOutbox,
} from 'svc-auth/testing';
import { describeAdapters, type OnAdapter } from './describe-adapters.js';
import { callbackOf, clientOf, encryptionKey, everyProvider } from './every-provider.js';
import { openSite, type Site, type SiteOptions } from './http-site.js';

/** Where identity providers are on loopback; without them the routes are there, and nobody answers. */
export interface IdentityProviders {
  /** Behind /google and /idp. */
  google?: MockIdentityProvider;
  /** Behind /oauth/acme. */
  acme?: MockIdentityProvider;
  /** Behind /oauth/other, by its endpoints: it speaks OAuth and no OpenID. */
  other?: MockIdentityProvider;
}

export interface WholeSite extends Site {
  texts: SmsOutbox;
}

/** With identity providers that answer. */
export type Product = WholeSite & Required<Pick<IdentityProviders, 'google' | 'acme'>>;

/** Opens sites on a storage. */
export function wholeProduct<Idps extends IdentityProviders = object>(
  adapter?: () => StorageAdapter,
  idps?: () => Idps,
) {
  const sites: Site[] = [];

  // All of them, also when one fails: what reached a logger is searched for secrets then.
  afterEach(async () => {
    const closed = await Promise.allSettled(sites.splice(0).map((site) => site.close()));
    for (const each of closed) if (each.status === 'rejected') throw each.reason;
  });

  return async ({ service = {}, ...options }: SiteOptions = {}): Promise<WholeSite & Idps> => {
    const [texts, mail] = [smsOutbox(), service.mail ?? outbox()];
    const there = idps?.() ?? ({} as Idps);
    const { google, acme, other } = there;
    const providers = {
      ...everyProvider(
        { mail, texts },
        {
          ...(google && { google: clientOf(google) }),
          oauth: {
            ...(acme && { acme: clientOf(acme) }),
            ...(other && { other: { ...other.client, ...other.endpoints } }),
          },
        },
      ),
      sessions: { canImpersonate: () => true },
      ...service.providers,
    };
    const site = await openSite(express, adapter?.(), {
      pro: true,
      ...options,
      service: { encryptionKey, ...service, mail, providers },
    });
    sites.push(site);
    return { ...site, texts, ...there };
  };
}

/** Identity providers that are open during the tests of whoever asks for them. */
export function providersOnLoopback<Name extends keyof IdentityProviders>(...names: Name[]) {
  const open = {} as Record<Name, MockIdentityProvider>;

  beforeAll(async () => {
    for (const name of names) {
      const path = name === 'google' ? '/google' : `/oauth/${name}`;
      open[name] = await mockIdentityProvider({ redirectUri: callbackOf(path) });
    }
  });

  afterAll(() => Promise.all(names.map((name) => open[name].close())));

  return () => open;
}

export interface Attack {
  on: OnAdapter;
  open: (options?: SiteOptions) => Promise<Product>;
}

/** On each storage, as `describeAdapters` has it. The identity providers are the file's: a key of theirs takes a while to make. */
export function describeAttacks(name: string, tests: (attack: Attack) => void): void {
  const idps = providersOnLoopback('google', 'acme');
  describeAdapters(name, (on) => {
    tests({ on, open: wholeProduct(on.adapter, idps) });
  });
}
