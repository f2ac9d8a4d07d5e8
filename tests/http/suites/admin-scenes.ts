/** A site with every provider, an administrator, and users who have every kind of record. */
import { softwareAuthenticator, outbox, smsOutbox } from 'svc-auth/testing';
import type { Authorize, Service } from 'svc-auth';
import { codeAt } from '../../support/authenticator-app.js';
import { encryptionKey, everyProvider, origin } from '../../support/every-provider.js';
import type { HttpResponse } from '../../support/http-client.js';
import type { Account, RequestOptions, Site } from '../../support/http-site.js';
import type { OpenSite } from '../matrix.js';
import { newSlug } from './org-scenes.js';

export const isAdmin: Authorize = ({ roles }) => roles.includes('admin');

/** A service with every provider. */
export function everything() {
  const mail = outbox();
  const providers = {
    ...everyProvider({ mail, sms: smsOutbox() }),
    sessions: { canImpersonate: () => true },
  };
  return { mail, encryptionKey, audit: true, statistics: true, providers };
}

export interface Scene {
  site: Site;
  me: Account;
  /** The cookie of the administrator. */
  options: RequestOptions;
  target: Account;
  path: string;
}

export function adminScenes(open: OpenSite) {
  const openAdmin = (authorize: Authorize = isAdmin, options: Parameters<OpenSite>[0] = {}) =>
    open({ admin: { authorize }, pro: true, service: everything(), ...options });

  /** Signs up a user with the role `admin`. */
  async function signUpAdmin(site: Site): Promise<Account> {
    const account = await site.signUp();
    await site.service.users.update(account.user.id as string, { roles: ['admin'] });
    return account;
  }

  async function scene(options: Parameters<OpenSite>[0] = {}): Promise<Scene> {
    const site = await openAdmin(isAdmin, options);
    const [me, target] = [await signUpAdmin(site), await site.signUp()];
    // Users with an unverified address have no API keys.
    await site.service.users.update(target.user.id as string, { emailVerified: true });
    return { site, me, options: { cookie: me.cookie }, target, path: `/admin/users/${target.user.id}` };
  }

  return { openAdmin, signUpAdmin, scene };
}

/** The ids of a user's records, by the segment of their routes. */
export interface Records {
  sessions: string;
  tokens: string;
  identities: string;
  passkeys: string;
  'api-keys': string;
  orgs: string;
}

/** Creates one record of each kind for a user, apart from the session. */
export async function createRecords(site: Site, userId: string): Promise<Records> {
  const { service, adapter, clock } = site;
  const { session } = await service.sessionsProvider.create({ userId, device: { userAgent: 'Firefox' } });
  const { familyId } = await service.refresh.issue({ userId, device: { name: 'phone' } });
  const identityId = crypto.randomUUID();
  const user = await adapter.users.findById(userId);
  const account = { provider: 'google', providerAccountId: crypto.randomUUID() };
  const identity = { id: identityId, userId, ...account, createdAt: new Date(clock.now()) };
  expect(await adapter.identities.link(identity, user!.epoch)).toBe(true);
  const { record } = await service.apiKeys.create({ userId, name: 'CI' });
  const owner = await service.users.create({ email: site.uniqueEmail(), emailVerified: true });
  const { org } = await service.orgs.create({ name: 'Acme', slug: newSlug(), ownerUserId: owner.id });
  await service.orgs.addMember(org.id, userId, 'admin');
  const passkeys = await registerPasskey(service, userId);
  return {
    sessions: session.id,
    tokens: familyId,
    identities: identityId,
    passkeys,
    'api-keys': record.id,
    orgs: org.id,
  };
}

async function registerPasskey({ webauthn }: Service, userId: string): Promise<string> {
  const { options, challenge } = await webauthn.startRegistration(userId);
  const response = softwareAuthenticator({ origin }).create(options);
  const registration = { userId, response, expectedChallenge: challenge };
  return (await webauthn.finishRegistration(registration)).credential.id;
}

/** Enables the second factor of a user, which ends every session. */
export async function enableTotp({ service, clock }: Site, userId: string): Promise<void> {
  const { secret } = await service.totp.beginEnrollment(userId);
  await service.totp.confirmEnrollment(userId, codeAt(secret, clock.now()));
}

/** Returns the ids of the records that are active. */
export async function activeRecords({ service }: Site, userId: string): Promise<Records> {
  const keys = await service.apiKeys.list({ userId });
  const { sessions } = await service.users.listSessions(userId);
  const join = (ids: string[]) => ids.sort().join();
  return {
    sessions: join(sessions.map(({ id }) => id)),
    tokens: join((await service.refresh.list(userId)).map(({ id }) => id)),
    identities: join((await service.users.listIdentities(userId)).map(({ id }) => id)),
    passkeys: join((await service.webauthn.listCredentials(userId)).map(({ id }) => id)),
    'api-keys': join(keys.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id)),
    orgs: join((await service.orgs.listForUser(userId)).map(({ orgId }) => orgId)),
  };
}

export function remove(site: Site, path: string, options: RequestOptions): Promise<HttpResponse> {
  return site.send('DELETE', path, undefined, options);
}
