/** What the account pages offer: what is configured and licensed, as the JSON routes require it. */
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { Service } from '../../engine/service.js';
import { internals } from '../../core/internals.js';
import { addressesOf, verificationOf } from '../features.js';
import type { LookOf, ProviderLook } from '../provider-looks.js';

export function offersOf(service: Service, lookOf: LookOf) {
  const has = service.features;
  const account = has.account ? service.account : null;
  const emailPassword = has.emailPassword ? service.emailPassword : null;
  const providers = providersOf(service, lookOf);
  const devices = has.sessionsProvider ? service.sessionsProvider : null;
  const { consents, createdRouters } = service[internals];
  return {
    account,
    /** Changes of the own name and picture. */
    profiles: has.profileChanges ? account : null,
    addresses: addressesOf(service),
    verification: verificationOf(service),
    usernames: has.usernames ? service.usernames : null,
    /** The route that changes a password belongs to the Pro tier. */
    password: has.licensed ? emailPassword : null,
    totp: has.totp ? service.totp : null,
    secondFactor: service.secondFactor,
    secondSteps: has.secondStep,
    webauthn: has.webauthn && createdRouters.has('createProRouter') ? service.webauthn : null,
    identities: providers.length > 0 ? service.identities : null,
    providers,
    phone: has.phoneOtp ? service.phoneOtp : null,
    devices,
    /** What has happened, with the option `audit`. */
    activity: has.audit ? service.audit : null,
    /** With an OAuth server. */
    connectedApps: consents.apps ?? null,
    maxSessions: has.maxSessions,
    /** The list of the devices contains the apps. */
    apps: has.refresh && devices === null ? service.refresh : null,
    guestCode: has.emailCode && devices !== null ? service.emailCode : null,
    guestPassword: devices === null ? null : emailPassword,
    apiKeys: has.apiKeys ? service.apiKeys : null,
    orgs: has.orgs ? service.orgs : null,
  };
}
export type Offers = ReturnType<typeof offersOf>;

/** An identity provider that is configured. */
export interface LinkedProvider extends ProviderLook {
  /** The value of `provider` in its identities. */
  id: string;
  /** Below the path of the JSON routes. */
  path: string;
  startLink(userId: string, context: RequestContext): ReturnType<Service['google']['startLink']>;
  readonly redirectUri: string;
}

function providersOf(service: Service, lookOf: LookOf): LinkedProvider[] {
  const { createdRouters } = service[internals];
  const { google, oauth } = service.features;
  const names = createdRouters.has('createProRouter') ? oauth : [];
  const others = names.map((name) => linked(name, lookOf(name), `/oauth/${name}`, service.oauth(name)));
  return google && createdRouters.has('createAuthRouter')
    ? [linked('google', lookOf('google'), '/google', service.google), ...others]
    : others;
}

function linked(
  id: string,
  look: ProviderLook,
  path: string,
  provider: Pick<Service['google'], 'startLink' | 'redirectUri'>,
): LinkedProvider {
  const { redirectUri } = provider;
  const startLink: LinkedProvider['startLink'] = (userId, context) =>
    provider.startLink(userId, undefined, context);
  return { id, ...look, path, redirectUri, startLink };
}
