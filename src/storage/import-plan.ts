/**
 * What an import does with a record, decided from the accounts that exist: pure, so that every adapter decides the same
 * (docs/decisions/import-conflicts.md).
 */
import { phoneProvider, type ServiceIdentity } from '../domain/identity.js';
import { parseMetadata } from '../domain/metadata.js';
import { revocationsOfImport } from '../domain/user.js';
import { keptIdOf } from '../domain/uuid.js';
import type { AdministeredUser } from '../domain/user-record.js';
import type { Username } from '../domain/username.js';
import type {
  ForeignApiKey,
  ImportBatch,
  ImportConflict,
  ImportedMember,
  ImportObstacle,
  ImportRecord,
} from './import-repository.js';
import type { StoredCredential } from '../domain/credential.js';

/** The accounts that have something of a record. Each function returns null if there is none. */
export interface KnownAccounts {
  byId(id: string): AdministeredUser | null;
  byExternalId(externalId: string): AdministeredUser | null;
  byEmail(email: string): AdministeredUser | null;
  /** The ids of the owners. */
  ofUsername(key: string): string | null;
  ofIdentity(identity: Pick<ServiceIdentity, 'provider' | 'providerAccountId'>): string | null;
  ofCredential(id: string): string | null;
  /** @param key its digest, or its id if it has none. */
  ofApiKey(key: string): string | null;
}

export type ImportDecision =
  | { status: 'create' }
  | { status: 'unchanged'; userId: string; partial?: readonly ImportObstacle[] }
  | { status: 'renew'; account: AdministeredUser; passwordHash: string }
  | { status: 'merge'; account: AdministeredUser }
  | ({ status: 'conflict' } & ImportObstacle);

/** Returns what finds the account of a record again: a merged account keeps it as its external id. */
export function oldIdOf({ user, keepsId }: ImportRecord): string | null {
  return user.externalId ?? (keepsId ? user.id : null);
}

/**
 * Returns the UUIDs by which an old session finds the account of a record: its id, and its external id in the case of ids. No other account
 * may have one of them in either place.
 */
export function keptIdsOf({ user, keepsId }: ImportRecord): string[] {
  const named = keptIdOf(user.externalId);
  return [...(keepsId ? [user.id] : []), ...(named !== null && named !== user.id ? [named] : [])];
}

/** The external ids that are the same UUID, as systems write them. */
export function spellingsOf(keptId: string): string[] {
  return [keptId, keptId.toUpperCase()];
}

/** Decides about a record. */
export function decideImport(
  record: ImportRecord,
  known: KnownAccounts,
  { onConflict, mayRenew }: Pick<ImportBatch, 'onConflict' | 'mayRenew'>,
): ImportDecision {
  const { user, keepsId, isProven } = record;
  const oldId = oldIdOf(record);
  const imported = oldId === null ? null : known.byExternalId(oldId);
  const sameId = keepsId ? known.byId(user.id) : null;
  if (imported && sameId && imported.id !== sameId.id) return conflict('id_taken', 'id');
  // The id of an account with another external id.
  if (sameId && !imported && sameId.externalId !== null && user.externalId !== null)
    return conflict('id_taken', 'id');
  const earlier = imported ?? sameId;
  if (earlier) return decideAgain(record, earlier, known, mayRenew);
  const holder = user.email === null ? null : known.byEmail(user.email);
  const taken = takenByOthers(record, known, holder?.id ?? null);
  if (!holder) return taken ?? { status: 'create' };
  const isSomeoneElses = holder.externalId !== null && oldId !== null;
  const mayMerge = onConflict === 'merge' && isProven && !isSomeoneElses && !holder.isGuest;
  if (!mayMerge) return conflict('email_taken', 'email');
  return taken ?? { status: 'merge', account: holder };
}

/** Decides about a record whose account an earlier import has brought, or one of another system with the same ids. */
function decideAgain(
  record: ImportRecord,
  account: AdministeredUser,
  known: KnownAccounts,
  mayRenew: ImportBatch['mayRenew'],
): ImportDecision {
  const { email, passwordHash, username } = record.user;
  const { id: userId, passwordHash: stored } = account;
  const ownsName = username !== null && known.ofUsername(username.key) === userId;
  const isSame = email !== null ? email === account.email : ownsName;
  if (!isSame && (email !== null || username !== null)) {
    const obstacle = { reason: 'account_differs' as const, field: email !== null ? 'email' : 'username' };
    return { status: 'unchanged', userId, partial: [obstacle] };
  }
  const isRenewed = isSame && passwordHash !== null && stored !== null && passwordHash !== stored;
  return isRenewed && !isClaimed(account, record) && mayRenew?.(stored)
    ? { status: 'renew', account, passwordHash }
    : { status: 'unchanged', userId };
}

/**
 * Whether another record than this one may have claimed the account that this one has brought: the password is then that of the owner of the
 * address, and this one that of a stranger.
 */
function isClaimed({ emailVerified, externalId }: AdministeredUser, record: ImportRecord): boolean {
  const isProvenByAnother = record.user.email !== null && emailVerified && !record.user.emailVerified;
  return isProvenByAnother || (externalId !== null && externalId !== oldIdOf(record));
}

/** Returns the first thing of a record that an account other than `ownerId` has. */
function takenByOthers(
  record: ImportRecord,
  known: KnownAccounts,
  ownerId: string | null,
): ({ status: 'conflict' } & ImportObstacle) | null {
  const { user, identities, credentials, apiKeys } = record;
  const isTaken = (id: string | null) => id !== null && id !== ownerId;
  for (const keptId of keptIdsOf(record)) {
    const owners = [known.byId(keptId), ...spellingsOf(keptId).map((each) => known.byExternalId(each))];
    if (owners.some((owner) => isTaken(owner?.id ?? null)))
      return conflict('id_taken', idFieldOf(record, keptId));
  }
  if (user.username && isTaken(known.ofUsername(user.username.key)))
    return conflict('username_taken', 'username');
  for (const identity of identities) {
    if (!isTaken(known.ofIdentity(identity))) continue;
    const isPhone = identity.provider === phoneProvider;
    return isPhone ? conflict('phone_taken', 'phone') : conflict('identity_taken', 'identities');
  }
  if (credentials.some(({ id }) => isTaken(known.ofCredential(id))))
    return conflict('passkey_taken', 'passkeys');
  if (apiKeys.some((key) => isTaken(known.ofApiKey(keyOf(key))))) return conflict('api_key_taken', 'apiKeys');
  return null;
}

export const idFieldOf = ({ user, keepsId }: ImportRecord, keptId: string) =>
  keepsId && user.id === keptId ? 'id' : 'externalId';

/** What a key is found by. A digest and a UUID are never equal. */
export function keyOf({ id, keyDigest }: ForeignApiKey): string {
  return keyDigest ?? id;
}

export function conflict(reason: ImportConflict, field: string): { status: 'conflict' } & ImportObstacle {
  return { status: 'conflict', reason, field };
}

/** What an account has of the kinds that a record can bring. */
export interface OwnedRows {
  hasSecondFactor: boolean;
  /** External ids of its organizations, or their ids if they have none. */
  orgs: ReadonlySet<string>;
}

/** What a record adds to an account. */
export interface Additions {
  /** Whether the account is unverified: it is claimed first, as by a proof of its mailbox. */
  claims: boolean;
  externalId?: string;
  username?: Username;
  metadata?: Record<string, unknown>;
  passwordHash?: string;
  /** Whether the second factor is added, which ends every session. */
  secondFactor: boolean;
  identities: ServiceIdentity[];
  credentials: StoredCredential[];
  apiKeys: ForeignApiKey[];
  memberships: ImportedMember[];
  partial: ImportObstacle[];
}

/**
 * Returns what a record adds to the verified account of its address. Nothing that the account has is replaced, and its roles never change.
 * An unverified account is claimed: its maker has not proven the address, which the user of the old system has. Then only its id,
 * roles, memberships and other metadata remain.
 */
export function additionsTo(
  account: AdministeredUser,
  record: ImportRecord,
  owned: OwnedRows,
  known: KnownAccounts,
): Additions {
  const { user } = record;
  const claims = !account.emailVerified;
  const isNew = (owner: string | null) => claims || owner === null;
  const externalId = account.externalId === null ? oldIdOf(record) : null;
  const hasName = account.username !== null && !claims;
  const metadata = mergedMetadata(account.metadata, user.metadata, claims);
  const keepsMetadata = !metadata && lacksAny(account.metadata, user.metadata);
  const keepsRoles = user.roles.some((role) => !account.roles.includes(role));
  const staysOpen = user.blocked !== null && account.blocked === null;
  return {
    claims,
    ...(externalId !== null && { externalId }),
    ...(user.username !== null && !hasName && { username: user.username }),
    ...(metadata && { metadata }),
    ...(user.passwordHash !== null &&
      (claims || account.passwordHash === null) && { passwordHash: user.passwordHash }),
    secondFactor: record.secondFactor !== null && (claims || !owned.hasSecondFactor),
    identities: record.identities.filter((identity) => isNew(known.ofIdentity(identity))),
    credentials: record.credentials.filter(({ id }) => isNew(known.ofCredential(id))),
    apiKeys: record.apiKeys.filter((key) => isNew(known.ofApiKey(keyOf(key)))),
    memberships: record.memberships.filter(({ org }) => !owned.orgs.has(org.externalId)),
    partial: [
      ...(keepsRoles ? [{ reason: 'roles_kept' as const, field: 'roles' }] : []),
      ...(staysOpen ? [{ reason: 'block_left_out' as const, field: 'blocked' }] : []),
      ...(keepsMetadata ? [{ reason: 'metadata_left_out' as const, field: 'metadata' }] : []),
    ],
  };
}

/**
 * Returns the revocations of an account that is claimed, or null for those of any end of all sessions. Sessions of the old system count
 * after the claim, unlike after any other end: they are of the owner of the record, whose external id the account has got. An account that
 * had one before may be that of a stranger in the old system.
 */
export function revocationsOfClaim(
  { epoch, sessionsValidAfter }: Pick<AdministeredUser, 'epoch' | 'sessionsValidAfter'>,
  { claims, externalId }: Additions,
  now: Date,
): ReturnType<typeof revocationsOfImport> | null {
  if (!claims || externalId === undefined) return null;
  const marked = revocationsOfImport('claim', now);
  // Never back: no token that was revoked may become valid again.
  const isLater = sessionsValidAfter === null || sessionsValidAfter <= marked.sessionsValidAfter;
  return isLater && marked.epoch > epoch ? marked : null;
}

/** Whether a record adds anything to an account. */
export function addsAnything(additions: Additions): boolean {
  const { claims, externalId, username, metadata, passwordHash, secondFactor } = additions;
  const values = [externalId, username, metadata, passwordHash].some((value) => value !== undefined);
  const { identities, credentials, apiKeys, memberships } = additions;
  const rows = [identities, credentials, apiKeys, memberships].some((added) => added.length > 0);
  return claims || secondFactor || values || rows;
}

const lacksAny = (own: object, added: object) => Object.keys(added).some((key) => !Object.hasOwn(own, key));

/** Returns the metadata with the keys that it does not have, or null if there are none, or the result is too large. */
function mergedMetadata(
  own: Record<string, unknown>,
  added: Record<string, unknown>,
  replaces: boolean,
): Record<string, unknown> | null {
  if (replaces ? Object.keys(added).length === 0 : !lacksAny(own, added)) return null;
  try {
    return parseMetadata(replaces ? { ...own, ...added } : { ...added, ...own });
  } catch {
    return null;
  }
}

/** Everything of a record that must be unique, as strings that differ from those of other kinds. */
export function uniqueKeysOf(record: ImportRecord): UniqueKey[] {
  const { user, identities, credentials, apiKeys } = record;
  const oldId = oldIdOf(record);
  const oldIdField = user.externalId === null ? 'id' : 'externalId';
  const key = (reason: ImportConflict, field: string, value: string) => ({
    reason,
    field,
    text: `${reason} ${value}`,
  });
  return [
    ...(oldId === null ? [] : [key('id_taken', oldIdField, `external ${oldId}`)]),
    ...keptIdsOf(record).map((id) => key('id_taken', idFieldOf(record, id), id)),
    ...(user.email === null ? [] : [key('email_taken', 'email', user.email)]),
    ...(user.username === null ? [] : [key('username_taken', 'username', user.username.key)]),
    ...identities.map(({ provider, providerAccountId }) =>
      provider === phoneProvider
        ? key('phone_taken', 'phone', providerAccountId)
        : key('identity_taken', 'identities', JSON.stringify([provider, providerAccountId])),
    ),
    ...credentials.map(({ id }) => key('passkey_taken', 'passkeys', id)),
    ...apiKeys.map((each) => key('api_key_taken', 'apiKeys', keyOf(each))),
  ];
}

export interface UniqueKey extends ImportObstacle {
  text: string;
}

/** Splits records so that no two of a part have a unique value in common: the second one is decided when the first one is stored. */
export function withoutCollisions(records: readonly ImportRecord[]): ImportRecord[][] {
  const parts: ImportRecord[][] = [];
  let part: ImportRecord[] = [];
  let seen = new Set<string>();
  for (const record of records) {
    const keys = uniqueKeysOf(record);
    if (part.length > 0 && keys.some(({ text }) => seen.has(text))) {
      parts.push(part);
      part = [];
      seen = new Set();
    }
    part.push(record);
    for (const { text } of keys) seen.add(text);
  }
  return part.length > 0 ? [...parts, part] : parts;
}
