/** Records of the audit log, and the seals over them. */
import { isUuid } from './uuid.js';

/** Who acted. `anonymous`: a client that has not proven who it is. */
export interface AuditActor {
  type: 'user' | 'administrator' | 'agent' | 'api_key' | 'system' | 'command_line' | 'anonymous';
  id?: string;
}

/** Where a record comes from. It is removed when the account is deleted, and the chain still verifies. */
export interface AuditOrigin {
  ip?: string;
  userAgent?: string;
  /** The masked address of a refused sign-in. */
  address?: string;
  /** What an administrator wrote. */
  note?: string;
}

/** A record as it is stored. Structured fields are text, because a record is verified byte by byte. */
export interface StoredAuditRecord {
  /** UUID v7. */
  id: string;
  occurredAt: Date;
  /** The name of an event. */
  action: string;
  outcome: 'success' | 'failure';
  /** The code of a failure. */
  errorCode: string | null;
  /** Whom the record is about. */
  userId: string | null;
  orgId: string | null;
  clientId: string | null;
  /** The last of `actors`. */
  actorId: string | null;
  /** The last user of `actors`, on whose behalf a key or an agent may have acted. Null in records of the release before. */
  actingUserId: string | null;
  /** JSON of a list of `AuditActor`: in whose name, then each that acts for the one before it. */
  actors: string;
  requestId: string | null;
  /** JSON of ids and names of fields. */
  details: string;
  /** JSON of `AuditOrigin` with a salt. Null without one, or once it is removed. */
  personal: string | null;
  /** The digest of `personal`, which stays. */
  personalDigest: string | null;
  /** Over everything but `personal` and `seal`. */
  mac: string;
  /** The number of the seal. Null if the record is not sealed yet. */
  seal: number | null;
}

/** A seal over a batch of records. */
export interface AuditSeal {
  /** From 1. */
  seal: number;
  sealedAt: Date;
  /** Time of the newest record. */
  newestAt: Date;
  /** How many records the chain has up to this seal. */
  records: number;
  /** The ids of the records in ascending order, separated by commas. */
  ids: string;
  /** Over all fields, the records, and the seal before it. */
  mac: string;
}

/** A record as it is read. */
export interface AuditRecord {
  id: string;
  at: Date;
  /** The name of an event, or `request.refused`. */
  action: string;
  outcome: 'success' | 'failure';
  /** The code of a failure. */
  reason: string | null;
  /** Whom the record is about. */
  userId: string | null;
  orgId: string | null;
  clientId: string | null;
  /** In whose name, then each that acts for the one before it. */
  actors: readonly AuditActor[];
  requestId: string | null;
  /** Ids, names of fields, the method of a sign-in, and the pattern of a route. */
  details: Readonly<Record<string, unknown>>;
  /** Null if there is none, or if it was removed with the account. */
  origin: Readonly<AuditOrigin> | null;
  /** The number of the seal. Null if the record is not sealed yet. */
  seal: number | null;
}

/** What has happened to an account, as its user sees it. */
export interface AuditActivity {
  id: string;
  at: Date;
  /** The name of an event. */
  action: string;
  outcome: 'success' | 'failure';
  /** Who acted. `user` is the user of the account, and `unknown` someone who was not signed in: the user, or another person. */
  by: 'user' | 'administrator' | 'agent' | 'api_key' | 'system' | 'unknown';
  /** How the user signed in, such as `passkey`. Null if it is not a sign-in. */
  method: string | null;
  /** How many attempts it stands for: more than 1 if those that were alike were counted together. */
  count: number;
  /** Null unless the user acted. */
  ip: string | null;
  userAgent: string | null;
  /** The place of the address, if the application has the option `locate`. */
  place: string | null;
}

/** The state of the chain at a seal. Keep it outside of the database: a chain that was cut off no longer has it. */
export interface AuditHead {
  seal: number;
  /** How many records the chain has up to this seal. */
  records: number;
  mac: string;
}

/** What was found first. Without `recordId`, it is about the seal itself, and without `seal`, about the state of the chain. */
export interface AuditFault {
  kind: 'changed' | 'removed' | 'inserted' | 'swapped';
  recordId: string | null;
  seal: number | null;
}

export interface AuditVerification {
  ok: boolean;
  fault: AuditFault | null;
  /** How many records and seals were checked. */
  records: number;
  seals: number;
  /** Records that no seal protects yet. Each was checked, but one that is missing cannot be noticed. */
  unsealed: number;
  /** The last seal, or null before the first one. */
  head: AuditHead | null;
}

export function toAuditRecord(stored: StoredAuditRecord): AuditRecord {
  const { id, occurredAt, action, outcome, errorCode, userId, orgId, clientId, requestId, seal } = stored;
  const about = { id, at: occurredAt, action, outcome, reason: errorCode, userId, orgId, clientId };
  const actors = JSON.parse(stored.actors) as AuditActor[];
  const details = JSON.parse(stored.details) as Record<string, unknown>;
  return { ...about, actors, requestId, details, origin: originOf(stored.personal), seal };
}

function originOf(personal: string | null): AuditOrigin | null {
  if (personal === null) return null;
  const { salt: _, ...origin } = JSON.parse(personal) as AuditOrigin & { salt?: string };
  return origin;
}

/** Returns how many attempts a record stands for. */
export function attemptsOf({ details }: Pick<AuditRecord, 'details'>): number {
  const { count } = details;
  return typeof count === 'number' ? count : 1;
}

/** Whether a record is about one of the users, or one of them acted in it: what `anonymize` finds. */
export function isOf(
  { userId, actorId, actingUserId }: Pick<StoredAuditRecord, 'userId' | 'actorId' | 'actingUserId'>,
  userIds: readonly string[],
): boolean {
  return [userId, actorId, actingUserId].some((id) => id !== null && userIds.includes(id));
}

/** Returns the ids of the users whom a record is about or who acted in it. */
export function usersOf({ userId, actorId, actingUserId, actors }: StoredAuditRecord): string[] {
  const last = (JSON.parse(actors) as AuditActor[]).at(-1)?.type;
  const ids = [userId, actingUserId, last === 'user' || last === 'administrator' ? actorId : null];
  return [...new Set(ids.filter((id) => id !== null && isUuid(id)))] as string[];
}

/** Returns the records without the origin of those in which a user is named who is gone. */
export function withoutOriginOfGone(
  records: readonly StoredAuditRecord[],
  isGone: (userId: string) => boolean,
): StoredAuditRecord[] {
  return records.map((record) => (usersOf(record).some(isGone) ? { ...record, personal: null } : record));
}

/** The longest text of a condition, in characters. */
export const longestCondition = 255;

/** The conditions of a list of records: a record matches if all of them are met. Null counts as absent. */
export interface AuditFilter {
  /** Whom the record is about. */
  userId?: string | null;
  orgId?: string | null;
  clientId?: string | null;
  /** The last of `actors`. */
  actorId?: string | null;
  action?: string | null;
  outcome?: 'success' | 'failure' | null;
  requestId?: string | null;
  /** At this time or later. */
  from?: Date | null;
  /** Before this time. */
  until?: Date | null;
}
