/** The import of users in memory. */
import type { AdministeredUser } from '../../domain/user-record.js';
import type { StoredUser } from '../../domain/user.js';
import type {
  ImportedAccount,
  ImportedMember,
  ImportedSecondFactor,
  ImportOutcome,
  ImportRecord,
  ImportRepository,
} from '../../storage/import-repository.js';
import {
  additionsTo,
  addsAnything,
  decideImport,
  revocationsOfClaim,
  withoutCollisions,
  type Additions,
  type ImportDecision,
  type KnownAccounts,
} from '../../storage/import-plan.js';
import { laterThan } from '../shared/change-time.js';
import { copy } from './copy.js';
import { identityKey, membershipKey, removeWhere, type Tables } from './tables.js';
import { setExternalId, setUsername } from './user-administration.js';
import { claimUser, removeBegunEnrollment, replacePassword, revokeSessions } from './users.js';

export function memoryImports(tables: Tables): ImportRepository {
  return {
    async importUsers(batch) {
      const { records, onConflict, dryRun, now } = batch;
      const known = knownAccounts(tables);
      if (dryRun) {
        const decisions = records.map((record) => decideImport(record, known, batch));
        const outcomes = records.map((record, at) => preview(tables, record, decisions[at]!, known));
        return { isWritten: true, outcomes };
      }
      const isAtomic = onConflict === 'fail';
      const before = isAtomic && withoutCollisions(records).length > 1 ? snapshot(tables) : null;
      if (isAtomic && !before) {
        const decisions = records.map((record) => decideImport(record, known, batch));
        const outcomes = records.map((record, at) => preview(tables, record, decisions[at]!, known));
        if (outcomes.some(({ status }) => status === 'conflict')) return { isWritten: false, outcomes };
      }
      const outcomes: ImportOutcome[] = [];
      for (const record of records) {
        const outcome = importOne(tables, record, decideImport(record, known, batch), known, now);
        outcomes.push(outcome);
        if (outcome.status !== 'conflict' || !before) continue;
        restore(tables, before);
        return { isWritten: false, outcomes };
      }
      return { isWritten: true, outcomes };
    },
  };
}

type Snapshot = [name: string, rows: Map<unknown, unknown> | Set<unknown>][];

/** With copies: a renewed password changes the rows of the user and the sessions. */
function snapshot(tables: Tables): Snapshot {
  return Object.entries(tables).flatMap(([name, rows]: [string, unknown]) => {
    if (rows instanceof Map)
      return [[name, new Map([...rows].map(([key, row]) => [key, keep(row)]))]] as Snapshot;
    return rows instanceof Set ? ([[name, new Set(rows)]] as Snapshot) : [];
  });
}

/** Rows of some tables are sets or maps themselves, which an import replaces as a whole. */
const keep = (row: unknown) => (row instanceof Map || row instanceof Set ? row : copy(row));

function restore(tables: Tables, before: Snapshot): void {
  for (const [name, rows] of before) {
    const current = tables[name as keyof Tables] as Map<unknown, unknown> | Set<unknown>;
    current.clear();
    if (rows instanceof Map) for (const [key, row] of rows) (current as Map<unknown, unknown>).set(key, row);
    else for (const value of rows) (current as Set<unknown>).add(value);
  }
}

function administered(tables: Tables, id: string | undefined): AdministeredUser | null {
  const user = tables.users.get(id ?? '');
  if (!user) return null;
  const lastSignInAt = tables.lastSignIns.get(user.id) ?? null;
  return { ...user, isGuest: tables.guests.has(user.id), lastSignInAt };
}

function knownAccounts(tables: Tables): KnownAccounts {
  const { userIdByEmail, userIdByExternalId, userIdByUsername, identities, credentials, apiKeys } = tables;
  return {
    byId: (id) => administered(tables, id),
    byExternalId: (externalId) => administered(tables, userIdByExternalId.get(externalId)),
    byEmail: (email) => administered(tables, userIdByEmail.get(email)),
    ofUsername: (key) => userIdByUsername.get(key) ?? null,
    ofIdentity: ({ provider, providerAccountId }) =>
      identities.get(identityKey(provider, providerAccountId))?.userId ?? null,
    ofCredential: (id) => credentials.get(id)?.userId ?? null,
    ofApiKey(digestOrId) {
      const key = apiKeys.get(tables.apiKeyIdByDigest.get(digestOrId) ?? digestOrId);
      return key ? (key.userId ?? key.orgId) : null;
    },
  };
}

function additions(tables: Tables, record: ImportRecord, account: AdministeredUser, known: KnownAccounts) {
  // An organization without an external id has its id in an export.
  const isOwn = (externalId: string) =>
    tables.memberships.has(membershipKey(findOrg(tables, externalId) ?? externalId, account.id));
  const externalIds = record.memberships.map(({ org }) => org.externalId).filter(isOwn);
  const owned = { hasSecondFactor: account.totpEnabled, orgs: new Set(externalIds) };
  return additionsTo(account, record, owned, known);
}

function preview(
  tables: Tables,
  record: ImportRecord,
  decision: ImportDecision,
  known: KnownAccounts,
): ImportOutcome {
  if (decision.status === 'create') {
    const isRenamed = record.memberships.some(({ org }) => losesSlug(tables, org));
    const partial = isRenamed ? { partial: [{ reason: 'slug_taken' as const, field: 'memberships' }] } : {};
    return { status: 'created', userId: record.user.id, ...partial };
  }
  if (decision.status === 'renew') return { status: 'renewed', userId: decision.account.id };
  if (decision.status !== 'merge') return decision;
  return mergeOutcome(decision.account.id, additions(tables, record, decision.account, known));
}

function mergeOutcome(userId: string, added: Additions): ImportOutcome {
  const partial = added.partial.length > 0 ? { partial: added.partial } : {};
  if (!addsAnything(added)) return { status: 'unchanged', userId, ...partial };
  return { status: 'merged', userId, claimed: added.claims, ...partial };
}

function importOne(
  tables: Tables,
  record: ImportRecord,
  decision: ImportDecision,
  known: KnownAccounts,
  now: Date,
): ImportOutcome {
  if (decision.status === 'conflict' || decision.status === 'unchanged') return decision;
  if (decision.status === 'create') {
    const userId = record.user.id;
    insertAccount(tables, record.user);
    insertRows(tables, userId, record);
    if (record.secondFactor) insertFactor(tables, userId, record.secondFactor(userId));
    const isRenamed = insertMembers(tables, userId, record.memberships);
    const partial = isRenamed ? { partial: [{ reason: 'slug_taken' as const, field: 'memberships' }] } : {};
    return { status: 'created', userId, ...partial };
  }
  if (decision.status === 'renew') {
    const user = tables.users.get(decision.account.id) as StoredUser;
    replacePassword(tables, user, decision.passwordHash, now);
    return { status: 'renewed', userId: user.id };
  }
  const added = additions(tables, record, decision.account, known);
  if (addsAnything(added)) addToAccount(tables, decision.account.id, record, added, now);
  return mergeOutcome(decision.account.id, added);
}

function insertAccount(tables: Tables, { username, lastSignInAt, ...user }: ImportedAccount): void {
  const { id, email, externalId } = user;
  tables.users.set(id, copy({ ...user, username: username?.name ?? null }));
  if (email !== null) tables.userIdByEmail.set(email, id);
  if (externalId !== null) tables.userIdByExternalId.set(externalId, id);
  if (lastSignInAt) tables.lastSignIns.set(id, copy(lastSignInAt));
  if (username) setUsername(tables, id, username);
}

type Rows = Pick<ImportRecord, 'identities' | 'credentials' | 'apiKeys'>;

function insertRows(tables: Tables, userId: string, { identities, credentials, apiKeys }: Rows): void {
  for (const identity of identities)
    tables.identities.set(
      identityKey(identity.provider, identity.providerAccountId),
      copy({ ...identity, userId }),
    );
  for (const credential of credentials)
    tables.credentials.set(credential.id, copy({ ...credential, userId }));
  for (const { keyDigest, ...key } of apiKeys) {
    tables.apiKeys.set(key.id, copy({ ...key, userId }));
    if (keyDigest !== null) tables.apiKeyIdByDigest.set(keyDigest, key.id);
  }
}

function insertFactor(
  tables: Tables,
  userId: string,
  { apps, email, recoveryCodeHashes }: ImportedSecondFactor,
): void {
  tables.totp.set(userId, { apps: apps.map(copy), pendingSecret: null, email, preferred: null });
  tables.recoveryCodes.set(userId, new Set(recoveryCodeHashes));
}

function findOrg({ orgs, orgIdByExternalId }: Tables, externalId: string): string | undefined {
  const id = orgIdByExternalId.get(externalId);
  return id !== undefined && orgs.has(id) ? id : undefined;
}

/** Whether an organization would be created, and its slug is another one's. */
function losesSlug(
  tables: Tables,
  { externalId, hasSlug, id, keepsId, slugs }: ImportedMember['org'],
): boolean {
  if (!hasSlug || findOrg(tables, externalId) !== undefined || (keepsId && tables.orgs.has(id))) return false;
  return [...tables.orgs.values()].some(({ slug }) => slug === slugs[0]);
}

/** Returns whether a new organization could not get the slug that the old system had given. */
function insertMembers(tables: Tables, userId: string, members: readonly ImportedMember[]): boolean {
  let isRenamed = false;
  for (const { org, role, createdAt } of members) {
    const { id, externalId, name, slugs, hasSlug, metadata } = org;
    const existing = findOrg(tables, externalId) ?? (org.keepsId && tables.orgs.has(id) ? id : undefined);
    const orgId = existing ?? id;
    if (existing === undefined) {
      const taken = new Set([...tables.orgs.values()].map(({ slug }) => slug));
      const slug = slugs.find((each) => !taken.has(each)) ?? id;
      isRenamed ||= hasSlug && slug !== slugs[0];
      const row = { id, name, slug, metadata, createdAt: org.createdAt, updatedAt: org.createdAt };
      tables.orgs.set(id, copy(row));
      tables.orgIdByExternalId.set(externalId, id);
    }
    tables.memberships.set(membershipKey(orgId, userId), copy({ orgId, userId, role, createdAt }));
  }
  return isRenamed;
}

function addToAccount(
  tables: Tables,
  userId: string,
  record: ImportRecord,
  added: Additions,
  now: Date,
): void {
  const user = tables.users.get(userId) as StoredUser;
  const { updatedAt } = user;
  const { externalId, username, metadata, passwordHash, secondFactor, claims } = added;
  const revocations = revocationsOfClaim(user, added, now);
  if (claims) claimUser(tables, user, null, now);
  if (externalId !== undefined) setExternalId(tables, user, externalId);
  if (username) setUsername(tables, userId, username);
  if (metadata) user.metadata = copy(metadata);
  if (passwordHash !== undefined) user.passwordHash = passwordHash;
  if (secondFactor && record.secondFactor) {
    removeBegunEnrollment(tables, userId);
    revokeSessions(tables, user, now);
    user.totpEnabled = true;
    insertFactor(tables, userId, record.secondFactor(userId));
  }
  if (revocations) Object.assign(user, revocations);
  insertRows(tables, userId, added);
  insertMembers(tables, userId, added.memberships);
  if (added.credentials.length > 0 || secondFactor)
    removeWhere(tables.trustedBrowsers, (browser) => browser.userId === userId);
  user.updatedAt = laterThan(updatedAt, now);
}
