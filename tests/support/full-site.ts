/** A site with every provider and both routers, as an attacker finds it. Each site is closed after its test. */
import express from 'express';
import type { StorageAdapter } from 'svc-auth';
import {
  mockIdentityProvider,
  outbox,
  smsOutbox,
  type MockIdentityProvider,
  type SmsOutbox,
} from 'svc-auth/testing';
import { describeAdapters, type StorageContext } from './describe-adapters.js';
import {
  callbackUrl,
  clientOptions,
  encryptionKey,
  everyProvider,
  type EveryProviderOptions,
} from './every-provider.js';
import { openSite, type Site, type SiteOptions } from './http-site.js';

/** Mock identity providers on loopback. Without them the routes exist, but the provider is unreachable. */
export interface IdentityProviders {
  /** Serves /google and /idp. */
  google?: MockIdentityProvider;
  /** Serves /oauth/acme. */
  acme?: MockIdentityProvider;
  /** Serves /oauth/other, configured by endpoints: plain OAuth without OpenID. */
  other?: MockIdentityProvider;
}

/** `links`: options of the magic link. */
export type FullSiteOptions = SiteOptions & Pick<EveryProviderOptions, 'links'>;

export interface FullSite extends Site {
  sms: SmsOutbox;
}

/** A site whose identity providers respond. */
export type SiteWithProviders = FullSite & Required<Pick<IdentityProviders, 'google' | 'acme'>>;

/** Returns a function that opens sites on a storage. */
export function fullSiteOpener<Idps extends IdentityProviders = object>(
  adapter?: () => StorageAdapter,
  idps?: () => Idps,
) {
  const sites: Site[] = [];

  // Closes all of them even if one fails, because closing searches the log for secrets.
  afterEach(async () => {
    const closed = await Promise.allSettled(sites.splice(0).map((site) => site.close()));
    for (const result of closed) if (result.status === 'rejected') throw result.reason;
  });

  return async ({ service = {}, links = { withCode: true }, ...options }: FullSiteOptions = {}): Promise<
    FullSite & Idps
  > => {
    const [sms, mail] = [smsOutbox(), service.mail ?? outbox()];
    const identityProviders = idps?.() ?? ({} as Idps);
    const { google, acme, other } = identityProviders;
    const every = everyProvider(
      { mail, sms },
      {
        links,
        ...(google && { google: clientOptions(google) }),
        oauth: {
          ...(acme && { acme: clientOptions(acme) }),
          ...(other && { other: { ...other.client, ...other.endpoints } }),
        },
      },
    );
    const providers = {
      ...every,
      emailPassword: { ...every.emailPassword, verifyEmail: 'send' as const },
      sessions: { canImpersonate: () => true },
      ...service.providers,
    };
    const site = await openSite(express, adapter?.(), {
      pro: true,
      ...options,
      service: {
        encryptionKey,
        usernames: { enabled: true },
        ...service,
        mail,
        providers,
      },
    });
    sites.push(site);
    return { ...site, sms, ...identityProviders };
  };
}

/** Starts identity providers before the tests of the current `describe` and closes them afterwards. */
export function loopbackProviders<Name extends keyof IdentityProviders>(...names: Name[]) {
  const open = {} as Record<Name, MockIdentityProvider>;

  beforeAll(async () => {
    for (const name of names) {
      const path = name === 'google' ? '/google' : `/oauth/${name}`;
      open[name] = await mockIdentityProvider({ redirectUri: callbackUrl(path) });
    }
  });

  afterAll(() => Promise.all(names.map((name) => open[name].close())));

  return () => open;
}

export interface AttackContext {
  on: StorageContext;
  open: (options?: SiteOptions) => Promise<SiteWithProviders>;
}

/** Runs the tests on each storage, like `describeAdapters`. The file shares its identity providers, because generating their keys is slow. */
export function describeAttacks(name: string, tests: (attack: AttackContext) => void): void {
  const idps = loopbackProviders('google', 'acme');
  describeAdapters(name, (on) => {
    tests({ on, open: fullSiteOpener(on.adapter, idps) });
  });
}
