/**
 * Decides about the records of a dry run as the import would: nothing is stored that a later record could be compared with, so that the
 * database knows only the accounts of before. What earlier records would have stored is remembered here, as digests.
 */
import { conflict, idFieldOf, keptIdsOf, oldIdOf, uniqueKeysOf } from '../../storage/import-plan.js';
import type {
  ImportBatch,
  ImportObstacle,
  ImportOutcome,
  ImportRecord,
} from '../../storage/import-repository.js';
import type { Username } from '../../domain/username.js';
import { isMarked } from '../passwords/foreign/imported-hash.js';
import { SeenKeys } from './seen-keys.js';

/** Whether the account of the record was there before, and nothing but its password changes. */
const isEarlier = (outcome: ImportOutcome): outcome is Stored & { status: 'unchanged' | 'renewed' } =>
  outcome.status === 'unchanged' || outcome.status === 'renewed';

type Stored = Extract<ImportOutcome, { userId: string }>;
type Taken = { status: 'conflict' } & ImportObstacle;

export class DryRun {
  private readonly seen = new SeenKeys();

  constructor(
    private readonly onConflict: ImportBatch['onConflict'],
    private readonly updatesPasswords: boolean,
  ) {}

  /**
   * Returns what would become of a record.
   * @param stored what the database says, without the earlier records.
   */
  settle(record: ImportRecord, stored: ImportOutcome): ImportOutcome {
    const outcome = this.withSlugs(record, this.decide(record, stored));
    // Only now: a record that is left out has none of its values.
    if (outcome.status === 'created' || outcome.status === 'merged') this.remember(record, outcome);
    return outcome;
  }

  private decide(record: ImportRecord, stored: ImportOutcome): ImportOutcome {
    const { user } = record;
    const earlier = this.earlierImport(record, stored);
    if (earlier) return earlier;
    if (isEarlier(stored)) return stored;
    const hasHolder = user.email !== null && this.seen.has(`email_taken ${user.email}`);
    const mayMerge = this.onConflict === 'merge' && record.isProven && !this.isOfAnother(record);
    if (hasHolder && !mayMerge) return conflict('email_taken', 'email');
    if (stored.status === 'conflict') return stored;
    const taken = this.takenByOthers(record, hasHolder);
    if (taken) return taken;
    if (!hasHolder) return stored;
    const claimed = !this.seen.has(provenKey(user.email));
    const isRepeated = factsOf(record).every((fact) => this.seen.has(fact));
    if (isRepeated && !claimed) return { status: 'unchanged', userId: user.id };
    return stored.status === 'merged' ? stored : { status: 'merged', userId: user.id, claimed };
  }

  /** Compares ids as `decideImport` does. */
  private earlierImport(record: ImportRecord, stored: ImportOutcome): ImportOutcome | null {
    const { user, keepsId } = record;
    const oldId = oldIdOf(record);
    const isImported = oldId !== null && this.seen.has(externalKey(oldId));
    const hasSameId = keepsId && this.seen.has(idKey(user.id));
    const isOneAccount = oldId !== null && this.seen.has(pairKey(user.id, oldId));
    const hasOtherExternalId = user.externalId !== null && this.seen.has(namedKey(user.id));
    const storedId = isEarlier(stored) ? stored.userId : null;
    const isOther = storedId !== null && !(oldId !== null && this.seen.has(pairKey(storedId, oldId)));
    // One id belongs to an account of before, the other one to an earlier record.
    if ((isImported || hasSameId) && isOther) return conflict('id_taken', 'id');
    if (hasSameId && !isOneAccount && (isImported || hasOtherExternalId)) return conflict('id_taken', 'id');
    if (!isImported && !hasSameId) return null;
    return this.again(record, isImported ? externalKey(oldId) : idKey(user.id), isImported);
  }

  /** Compares a record with the earlier one with its id. @param isImported whether that is its external id. */
  private again({ user }: ImportRecord, key: string, isImported: boolean): ImportOutcome {
    const { email, emailVerified, id, passwordHash, username } = user;
    const unchanged = { status: 'unchanged' as const, userId: id };
    const name = nameOf(email, username);
    if (name !== null && !this.seen.has(`${key} is ${name}`)) {
      const field = email !== null ? 'email' : 'username';
      return { ...unchanged, partial: [{ reason: 'account_differs', field }] };
    }
    const isProvenByAnother = email !== null && !emailVerified && this.seen.has(provenKey(email));
    const isClaimed = isProvenByAnother || (!isImported && this.seen.has(`named ${email}`));
    const isRenewed =
      this.updatesPasswords &&
      !isClaimed &&
      passwordHash !== null &&
      this.seen.has(`${key} renewable`) &&
      !this.seen.has(`${key} has ${passwordHash}`);
    return isRenewed ? { status: 'renewed', userId: id } : unchanged;
  }

  private rememberAccount({ user }: ImportRecord, key: string, status: Stored['status']): void {
    const { seen } = this;
    const { email, passwordHash, username } = user;
    if (email !== null) seen.add(`${key} is ${nameOf(email, null)}`);
    if (username !== null) seen.add(`${key} is ${nameOf(null, username)}`);
    if (!this.updatesPasswords || passwordHash === null || status !== 'created') return;
    if (isMarked(passwordHash)) seen.add(`${key} renewable`);
    seen.add(`${key} has ${passwordHash}`);
  }

  /** Whether the account of the address has another external id. */
  private isOfAnother(record: ImportRecord): boolean {
    return oldIdOf(record) !== null && this.seen.has(`named ${record.user.email}`);
  }

  private takenByOthers(record: ImportRecord, hasHolder: boolean): Taken | null {
    const namesake = keptIdsOf(record).find((id) => this.isTaken(record, keptIdKey(id), hasHolder));
    if (namesake !== undefined) return conflict('id_taken', idFieldOf(record, namesake));
    const taken = uniqueKeysOf(record).find(
      ({ reason, text }) =>
        reason !== 'id_taken' && reason !== 'email_taken' && this.isTaken(record, text, hasHolder),
    );
    return taken ? { status: 'conflict', reason: taken.reason, field: taken.field } : null;
  }

  private isTaken(record: ImportRecord, key: string, hasHolder: boolean): boolean {
    return this.seen.has(key) && !(hasHolder && this.seen.has(ownedKey(record, key)));
  }

  private remember(record: ImportRecord, { status, userId }: Stored): void {
    const { user, keepsId, memberships } = record;
    const { seen } = this;
    const externalId = status === 'merged' ? oldIdOf(record) : user.externalId;
    if (externalId !== null) {
      seen.add(externalKey(externalId));
      this.rememberAccount(record, externalKey(externalId), status);
      seen.add(pairKey(userId, externalId));
      if (user.email !== null && this.onConflict === 'merge') seen.add(`named ${user.email}`);
    }
    if (keepsId && status === 'created') {
      seen.add(idKey(user.id));
      this.rememberAccount(record, idKey(user.id), status);
      if (externalId !== null) seen.add(namedKey(user.id));
    }
    if (user.email !== null && user.emailVerified) seen.add(provenKey(user.email));
    for (const { reason, text } of uniqueKeysOf(record)) if (reason !== 'id_taken') seen.add(text);
    if (this.onConflict === 'merge') for (const fact of factsOf(record)) seen.add(fact);
    for (const id of keptIdsOf(record)) {
      seen.add(keptIdKey(id));
      if (this.onConflict === 'merge') seen.add(ownedKey(record, keptIdKey(id)));
    }
    for (const { org } of memberships) {
      seen.add(`org ${org.externalId}`);
      if (org.slugs[0] !== undefined) seen.add(`slug ${org.slugs[0]}`);
    }
  }

  /** Corrects `slug_taken`: an organization of an earlier record is found, and the slug of one is taken. */
  private withSlugs(record: ImportRecord, outcome: ImportOutcome): ImportOutcome {
    if (outcome.status === 'conflict' || outcome.status === 'unchanged') return outcome;
    const created = record.memberships
      .map(({ org }) => org)
      .filter(({ externalId, hasSlug }) => hasSlug && !this.seen.has(`org ${externalId}`));
    const isTaken = created.some(({ slugs }) => this.seen.has(`slug ${slugs[0]}`));
    const parts = outcome.partial ?? [];
    const others = parts.filter(({ reason }) => reason !== 'slug_taken');
    const isRenamed = isTaken || (created.length > 0 && others.length < parts.length);
    const partial = isRenamed ? [...others, { reason: 'slug_taken' as const, field: 'memberships' }] : others;
    const { partial: _, ...rest } = outcome;
    return partial.length > 0 ? { ...rest, partial } : rest;
  }
}

const externalKey = (id: string) => `id_taken external ${id}`;
const idKey = (id: string) => `id_taken ${id}`;
const keptIdKey = (id: string) => `kept ${id}`;
const pairKey = (id: string, externalId: string) => `pair ${id} ${externalId}`;
const namedKey = (id: string) => `named id ${id}`;
const provenKey = (email: string | null) => `proven ${email}`;
const nameOf = (email: string | null, username: Username | null) =>
  email !== null ? `address ${email}` : username && `name ${username.key}`;
const ownedKey = ({ user }: ImportRecord, text: string) => `owned ${user.email} ${text}`;

/** Everything that a record can add to the account of its address. */
function factsOf(record: ImportRecord): string[] {
  const { user, secondFactor, memberships } = record;
  if (user.email === null) return [];
  const facts = [
    ...(oldIdOf(record) === null ? [] : ['external id']),
    ...(user.username === null ? [] : ['username']),
    ...(user.passwordHash === null ? [] : ['password']),
    ...(secondFactor === null ? [] : ['factor']),
    ...Object.keys(user.metadata).map((key) => `metadata ${key}`),
    ...memberships.map(({ org }) => `org ${org.externalId}`),
    ...uniqueKeysOf(record).flatMap(({ reason, text }) => (reason === 'id_taken' ? [] : [text])),
  ];
  return facts.map((fact) => ownedKey(record, fact));
}
