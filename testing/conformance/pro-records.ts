/** Records for the tests of the optional repositories. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredApiKey } from '../../src/domain/api-key.js';
import type { StoredCredential } from '../../src/domain/credential.js';
import { acceptInvite } from '../../src/domain/org-invite.js';
import type { Org, OrgInvite, OrgMembership, OrgRole } from '../../src/domain/org.js';
import type { RefreshFamily } from '../../src/domain/refresh-family.js';
import type { StoredUser } from '../../src/domain/user.js';
import { isServiceError } from '../../src/errors/service-error.js';
import type { InviteOutcome } from '../../src/storage/org-repository.js';
import type { GuestUpgrade } from '../../src/storage/pro-repositories.js';
import type { TotpConfirmation } from '../../src/storage/second-factor-repositories.js';
import type { NewUser } from '../../src/storage/repositories.js';
import { after, asStored, newIdentity, newUser, now, type With } from './suite.js';

export async function insertedGuest(
  storage: With<'guests'>,
  overrides: Partial<NewUser> = {},
): Promise<StoredUser> {
  const guest = newUser({ email: null, ...overrides });
  await storage.guests.insert(guest);
  return asStored(guest);
}

/** Returns an upgrade with an identity and no address, unless overridden. */
export function newUpgrade(userId: string, overrides: Partial<GuestUpgrade> = {}): GuestUpgrade {
  const identity = newIdentity(userId);
  return { userId, identity, email: null, emailVerified: false, passwordHash: null, now, ...overrides };
}

export function newFamily(userId: string, overrides: Partial<RefreshFamily> = {}): RefreshFamily {
  return {
    id: randomUUID(),
    kind: 'refresh',
    userId,
    counter: 0,
    rotatedAt: now,
    epoch: 0,
    claims: { plan: 'pro' },
    device: { name: 'Phone', userAgent: 'Test/1.0', ip: '192.0.2.1' },
    createdAt: now,
    expiresAt: after(60_000),
    revokedAt: null,
    ...overrides,
  };
}

export async function insertedFamily(
  storage: With<'refreshFamilies'>,
  userId: string,
  overrides: Partial<RefreshFamily> = {},
): Promise<RefreshFamily> {
  const family = newFamily(userId, overrides);
  assert.equal(await storage.refreshFamilies.insert(family), true);
  return family;
}

type KeyOwner = Pick<StoredApiKey, 'userId'> | Pick<StoredApiKey, 'orgId'>;

export function newApiKey(owner: KeyOwner, overrides: Partial<StoredApiKey> = {}): StoredApiKey {
  return {
    id: randomUUID(),
    name: 'Deployment',
    prefix: 'svc_abcd',
    userId: null,
    orgId: null,
    scopes: ['read', 'write'],
    metadata: { team: 'ops' },
    createdAt: now,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    secretHash: randomUUID(),
    ...owner,
    ...overrides,
  };
}

export async function insertedApiKey(
  storage: With<'apiKeys'>,
  owner: KeyOwner,
  overrides: Partial<StoredApiKey> = {},
  epoch = 0,
): Promise<StoredApiKey> {
  const key = newApiKey(owner, overrides);
  assert.equal(await storage.apiKeys.insert(key, key.userId === null ? null : epoch), 'inserted');
  return key;
}

export function newOrg(overrides: Partial<Org> = {}): Org {
  const id = randomUUID();
  return { id, name: 'Acme', slug: `acme-${id}`, metadata: {}, createdAt: now, updatedAt: now, ...overrides };
}

export function newMembership(orgId: string, userId: string, role: OrgRole = 'owner'): OrgMembership {
  return { orgId, userId, role, createdAt: now };
}

/** Creates an organization with an owner and these members. */
export async function createdOrg(
  storage: With<'orgs'>,
  ownerId: string,
  others: Record<string, OrgRole> = {},
): Promise<Org> {
  const org = newOrg();
  assert.equal(await storage.orgs.create(org, newMembership(org.id, ownerId)), 'created');
  for (const [userId, role] of Object.entries(others)) {
    await storage.orgs.changeMember({ orgId: org.id, userId, now }, () => role);
  }
  return org;
}

export function newInvite(orgId: string, overrides: Partial<OrgInvite> = {}): OrgInvite {
  return {
    id: randomUUID(),
    orgId,
    email: `${randomUUID()}@example.test`,
    role: 'member',
    invitedByUserId: null,
    createdAt: now,
    expiresAt: after(60_000),
    acceptedAt: null,
    ...overrides,
  };
}

/** Stores an invite and returns it with its digest. */
export async function storedInvite(
  storage: With<'orgs'>,
  orgId: string,
  overrides: Partial<OrgInvite> = {},
): Promise<{ invite: OrgInvite; digest: string }> {
  const [invite, digest] = [newInvite(orgId, overrides), randomUUID()];
  assert.equal(await storage.orgs.insertInvite(invite, digest), 'stored');
  return { invite, digest };
}

/**
 * Calls `acceptInvite` with the rules of the engine and `allowUnverified`. Returns a refusal as the
 * status.
 */
export async function accepted(
  storage: With<'orgs'>,
  digest: string,
  userId: string,
  at: Date,
): Promise<InviteOutcome | { status: 'wrong_user' }> {
  try {
    return await storage.orgs.acceptInvite(digest, userId, at, (state) => acceptInvite(state, at, true));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { status: error.code === 'not_authorized' ? 'wrong_user' : 'invalid' };
  }
}

/** Returns unique hashes of recovery codes. */
export function newHashes(count = 3): string[] {
  return Array.from({ length: count }, () => randomUUID());
}

/** Stores a pending secret of the user, and returns the confirmation that enables it. */
export async function begunTotp(
  storage: With<'totp'>,
  userId: string,
  overrides: Partial<TotpConfirmation> = {},
): Promise<TotpConfirmation> {
  const pendingSecret = `v1.${randomUUID()}`;
  assert.equal(await storage.totp.savePending(userId, pendingSecret), 'kept');
  return { userId, pendingSecret, step: 1000, recoveryCodeHashes: newHashes(), now, ...overrides };
}

/**
 * Enables a second factor. The confirmation ends every session, so it raises the user's epoch by
 * one.
 */
export async function confirmedTotp(
  storage: With<'totp'>,
  userId: string,
  overrides: Partial<TotpConfirmation> = {},
): Promise<TotpConfirmation & { secret: string }> {
  const confirmation = await begunTotp(storage, userId, overrides);
  assert.equal(await storage.totp.confirm(confirmation), true);
  return { ...confirmation, secret: confirmation.pendingSecret };
}

export function newCredential(userId: string, overrides: Partial<StoredCredential> = {}): StoredCredential {
  return {
    id: randomUUID(),
    userId,
    publicKey: 'pQECAyYgASFYIA',
    counter: 0,
    transports: ['internal', 'hybrid'],
    backupEligible: true,
    backedUp: false,
    aaguid: '00000000-0000-0000-0000-000000000000',
    name: null,
    lastUsedFrom: null,
    userHandle: null,
    createdAt: now,
    lastUsedAt: null,
    ...overrides,
  };
}

export async function insertedCredential(
  storage: With<'credentials'>,
  userId: string,
  overrides: Partial<StoredCredential> = {},
  epoch = 0,
): Promise<StoredCredential> {
  const credential = newCredential(userId, overrides);
  assert.equal(await storage.credentials.insert(credential, epoch), 'inserted');
  return credential;
}
