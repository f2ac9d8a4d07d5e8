/** What the account pages offer: what is configured and licensed, as the JSON routes require it. */
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { Service } from '../../engine/service.js';
import { internals } from '../../core/internals.js';
import { available } from '../../pages-kit/available.js';
import { verificationOf } from '../features.js';
import type { Settings } from '../options.js';

/** Read at every request, because a license can expire. */
export function offersOf({ providerNames, service }: Pick<Settings, 'providerNames' | 'service'>) {
  const account = available(() => service.account);
  const emailPassword = available(() => service.emailPassword);
  const usernames = available(() => {
    service.usernames.assertEnabled();
    return service.usernames;
  });
  const identities = available(() => service.identities);
  const providers = providersOf(service, providerNames);
  const phone = available(() => service.phoneOtp);
  const devices = available(() => service.sessionsProvider);
  const { createdRouters, maxSessions, secondSteps } = service[internals];
  return {
    account,
    /** Changes of addresses need a sender. */
    addresses: account?.mailsCodes ? account : null,
    verification: verificationOf(service),
    usernames,
    /** The route that changes a password belongs to the Pro tier. */
    password: service.licensed ? emailPassword : null,
    totp: available(() => service.totp),
    secondFactor: available(() => service.secondFactor),
    secondSteps,
    webauthn: createdRouters.has('createProRouter') ? available(() => service.webauthn) : null,
    identities: providers.length > 0 ? identities : null,
    providers,
    phone,
    devices,
    maxSessions,
    /** The list of the devices contains the apps. */
    apps: devices === null ? available(() => service.refresh) : null,
    guestCode: devices === null ? null : available(() => service.emailCode),
    guestPassword: devices === null ? null : emailPassword,
    apiKeys: available(() => service.apiKeys),
    orgs: available(() => service.orgs),
  };
}
export type Offers = ReturnType<typeof offersOf>;

/** An identity provider that is configured. */
export interface LinkedProvider {
  /** The value of `provider` in its identities. */
  id: string;
  label: string;
  /** Below the path of the JSON routes. */
  path: string;
  startLink(userId: string, context: RequestContext): ReturnType<Service['google']['startLink']>;
  readonly redirectUri: string;
}

function providersOf(service: Service, labels: Settings['providerNames']): LinkedProvider[] {
  const { createdRouters } = service[internals];
  const google = createdRouters.has('createAuthRouter') ? available(() => service.google) : null;
  const names = createdRouters.has('createProRouter') ? service.oauthProviders : [];
  const others = names.flatMap((name) => {
    const provider = available(() => service.oauth(name));
    return provider ? [linked(name, labels[name] ?? labelOf(name), `/oauth/${name}`, provider)] : [];
  });
  return google ? [linked('google', 'Google', '/google', google), ...others] : others;
}

function linked(
  id: string,
  label: string,
  path: string,
  provider: Pick<Service['google'], 'startLink' | 'redirectUri'>,
): LinkedProvider {
  const { redirectUri } = provider;
  const startLink: LinkedProvider['startLink'] = (userId, context) =>
    provider.startLink(userId, undefined, context);
  return { id, label, path, redirectUri, startLink };
}

/** The name in the configuration, with a capital letter: `Acme`. */
export function labelOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
