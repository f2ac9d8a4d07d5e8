/** Turns an event into a record of the audit log, and computes what makes a record and a seal tamper-evident. */
import type { KeyObject } from 'node:crypto';
import type { Keyring } from '../../crypto/keys.js';
import { constantTimeEqual, mac, sha256 } from '../../crypto/digest.js';
import { randomToken, uuidV7 } from '../../crypto/random.js';
import type { AuditActor, AuditOrigin, StoredAuditRecord } from '../../domain/audit.js';
import { isUuid } from '../../domain/uuid.js';
import type { TokenActor } from '../../domain/oauth-server.js';
import type { ActingRequest } from './acting-requests.js';
import type { EmittedEvent, EventActor } from './events.js';

/** Every payload, as far as a record reads it. */
interface Payload {
  userId?: string | null;
  adminUserId?: string;
  orgId?: string | null;
  clientId?: string;
  actor?: EventActor;
  act?: TokenActor;
  reason?: string | null;
  [detail: string]: unknown;
}

/** Events that report an attempt which was refused. */
const suspicious: ReadonlySet<string> = new Set(['passkey.counter_regressed', 'refresh.reuse_detected']);

/** Events whose record gets no origin: that of a deletion would outlive the account, and that of an erasure would undo it. */
const withoutOrigin: ReadonlySet<string> = new Set(['user.deleted', 'audit.anonymized']);

/** What a record says, before it is stored. */
export interface AuditFacts {
  action: string;
  outcome?: 'success' | 'failure';
  reason?: string;
  userId?: string | null | undefined;
  orgId?: string | null | undefined;
  clientId?: string | undefined;
  actors: readonly AuditActor[];
  details?: object | undefined;
  /** Null: without the client's. */
  origin?: AuditOrigin | null | undefined;
}

/** Returns the facts of an event: one, or one for each user that an import has changed. */
export function factsOf(
  [action, payload]: EmittedEvent,
  request: ActingRequest | undefined,
  actingUserId?: string,
): AuditFacts[] {
  if (action === 'users.imported') {
    const { created, merged, renewed } = payload;
    const each = (userId: string, isCreated: boolean): AuditFacts => ({
      ...{ action, userId, details: { created: isCreated } },
      actors: actorsOf({}, request),
    });
    return [...created.map((id) => each(id, true)), ...[...merged, ...renewed].map((id) => each(id, false))];
  }
  const {
    userId,
    orgId,
    clientId,
    actor: _,
    act: _act,
    profile: _profile,
    reason,
    ...details
  } = payload as Payload;
  const note = typeof reason === 'string' ? { note: reason } : {};
  const origin = withoutOrigin.has(action) ? null : note;
  const by = actingUserId === undefined ? undefined : ({ type: 'user', id: actingUserId } as const);
  // An erasure proves nothing about its user.
  const isErasure = action === 'audit.anonymized';
  const facts = { ...(payload as Payload), ...(by && { actor: by }), ...(isErasure && { userId: null }) };
  const actors = actorsOf(facts, request);
  const outcome = suspicious.has(action) ? 'failure' : 'success';
  return [{ action, outcome, userId, orgId, clientId, actors, details, origin }];
}

function actorsOf({ actor, act, adminUserId, userId }: Payload, request?: ActingRequest): AuditActor[] {
  const known = request?.actors ?? [];
  if (act && userId) return [{ type: 'user', id: userId }, ...agentsOf(act)];
  if (actor?.type === 'user') {
    const isSame = known.some(({ id }) => id === actor.id);
    return isSame ? [...known] : [{ type: 'user', ...(actor.id !== undefined && { id: actor.id }) }];
  }
  // The application decides who calls: inside of a request it may still act for itself.
  if (actor && known[0]?.type !== 'command_line')
    return [{ type: 'system', ...(actor.id !== undefined && { id: actor.id }) }];
  if (known.length > 0) return [...known];
  if (adminUserId !== undefined) return [{ type: 'user', id: adminUserId }];
  if (!request) return [{ type: 'system' }];
  // Without a session, the user has just proven who that is: with a password, a code or a link.
  return typeof userId === 'string' ? [{ type: 'user', id: userId }] : [{ type: 'anonymous' }];
}

/** The actors of a token, the one that asked first. The one that it acts for is in `act.act`. */
export function agentsOf(act: TokenActor): AuditActor[] {
  const earlier = act.act ? agentsOf(act.act) : [];
  return [...earlier, { type: 'agent', id: act.sub }];
}

/** Null for one of the application that has another id than ours. */
function actingUserOf(actors: readonly AuditActor[]): string | null {
  const { id } = actors.findLast(({ type }) => type === 'user') ?? {};
  return id !== undefined && isUuid(id) ? id : null;
}

function actingUserIn(actors: string): string | null {
  try {
    return actingUserOf(JSON.parse(actors) as AuditActor[]);
  } catch {
    // Changed, which the MAC then shows.
    return null;
  }
}

/** Returns text that every database can store, no longer than its column. */
function storable(text: string | null | undefined, maxLength: number): string | null {
  if (text === null || text === undefined) return null;
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, maxLength);
}

export class AuditRecords {
  private readonly keys: readonly [KeyObject, ...KeyObject[]];
  /** The last millisecond, and how many records it has had in this process. */
  private last = { ms: 0, count: 0 };

  constructor(keyring: Keyring) {
    this.keys = keyring.subkeys('audit');
  }

  /** Returns the record of facts, with the time and the origin of the request. */
  create(facts: AuditFacts, now: number, request?: ActingRequest): StoredAuditRecord {
    const {
      action,
      outcome = 'success',
      reason,
      userId,
      orgId,
      clientId,
      actors,
      details = {},
      origin,
    } = facts;
    const personal = origin === null ? null : personalOf({ ...originOf(request), ...origin });
    const record = {
      id: this.nextId(now),
      occurredAt: new Date(now),
      action,
      outcome,
      errorCode: storable(reason, 128),
      userId: userId ?? null,
      orgId: orgId ?? null,
      clientId: storable(clientId, 255),
      actorId: storable(actors.at(-1)?.id, 255),
      actingUserId: actingUserOf(actors),
      actors: JSON.stringify(actors),
      requestId: storable(request?.requestId, 128),
      details: JSON.stringify(details),
      personal,
      personalDigest: personal === null ? null : sha256(personal),
      mac: '',
      seal: null,
    };
    return { ...record, mac: macOf(this.keys[0], record, true) };
  }

  /** Returns a UUID v7. Those of one process and millisecond are in their order (RFC 9562, 6.2, method 1). */
  private nextId(now: number): string {
    const count = this.last.ms === now ? Math.min(this.last.count + 1, 0xfff) : 0;
    this.last = { ms: now, count };
    const id = uuidV7(now);
    return id.slice(0, 15) + count.toString(16).padStart(3, '0') + id.slice(18);
  }

  /** Whether the content of a record is what was written. One that was anonymized is. */
  isIntact(record: StoredAuditRecord): boolean {
    const { personal, personalDigest } = record;
    if (personal !== null && sha256(personal) !== personalDigest) return false;
    if (this.keys.some((key) => constantTimeEqual(macOf(key, record, true), record.mac))) return true;
    // Records of earlier releases, whose MAC does not cover the acting user. It is named in `actors`, if at all.
    const { actingUserId } = record;
    const isDerived = actingUserId === null || actingUserId === actingUserIn(record.actors);
    return isDerived && this.keys.some((key) => constantTimeEqual(macOf(key, record, false), record.mac));
  }

  /** Returns the MAC of other content under the same key. */
  sign(...parts: readonly string[]): string {
    return signed(this.keys[0], parts);
  }

  isSigned(given: string, ...parts: readonly string[]): boolean {
    return this.keys.some((key) => constantTimeEqual(signed(key, parts), given));
  }
}

// A part may be longer than the length prefix allows, so its digest is signed.
const signed = (key: KeyObject, parts: readonly string[]) =>
  mac(key, 'chain', ...parts.map((part) => sha256(part))).toString('base64url');

/** An IPv6 address with its zone and port, and room. */
const longestAddress = 64;

function originOf(request: ActingRequest | undefined): AuditOrigin {
  const { ip, userAgent } = request ?? {};
  return {
    // An application may pass on any text that a client has sent as its address.
    ...(ip !== undefined && { ip: ip.slice(0, longestAddress) }),
    ...(userAgent !== undefined && { userAgent: userAgent.slice(0, 512) }),
  };
}

/** With a salt, so that the digest that stays does not reveal an address to those who try all of them. */
function personalOf(origin: AuditOrigin): string | null {
  return Object.keys(origin).length === 0 ? null : JSON.stringify({ ...origin, salt: randomToken(16) });
}

function macOf(key: KeyObject, record: StoredAuditRecord, coversActingUser: boolean): string {
  const { id, occurredAt, action, outcome, errorCode, userId, orgId, clientId, requestId } = record;
  const { actorId, actors, details, personalDigest } = record;
  const short = [errorCode, userId, orgId, clientId, actorId, requestId, personalDigest];
  const content = JSON.stringify([id, occurredAt.getTime(), action, outcome, ...short]);
  const parts = [sha256(content), sha256(actors), sha256(details)];
  const signed = coversActingUser
    ? mac(key, 'record-with-user', ...parts, record.actingUserId ?? '')
    : mac(key, 'record', ...parts);
  return signed.toString('base64url');
}
