/** The audit log: `service.audit` (docs/audit.md). */
import * as z from 'zod';
import {
  attemptsOf,
  longestCondition,
  toAuditRecord,
  type AuditActivity,
  type AuditActor,
  type AuditFilter,
  type AuditHead,
  type AuditRecord,
  type AuditVerification,
} from '../domain/audit.js';
import { InvalidRequestError, ProviderNotConfiguredError } from '../errors/catalog.js';
import { verifyChain } from '../core/audit/verify.js';
import { parsePosition, tailRecords, type TailedAuditRecord } from '../core/audit/tail.js';
import { readChain } from '../core/audit/chain.js';
import { changeByFields } from '../core/sessions/change-by.js';
import { existingUser } from '../core/sessions/existing-user.js';
import type { RequestContext } from '../core/sessions/request-context.js';
import { placesByAddress, type FindPlace } from '../core/support/locations.js';
import type { EventActor } from '../core/support/events.js';
import { hasMethod } from '../core/support/has-method.js';
import { checkMilliseconds, parseInput, parseOptions } from '../core/support/input.js';
import { parseId } from '../core/support/input-types.js';
import { refusedRequest } from '../core/support/refused-requests.js';
import { readSearch, type Page, type PageRequest } from '../core/support/pages.js';
import type { Toolkit } from '../core/toolkit.js';
import { lazily } from '../runtime/load.js';
import type { AuditRecordFilter } from '../storage/audit-repository.js';

const text = () => z.string().max(longestCondition).nullish();

const listInput = lazily(() =>
  z
    .object({
      userId: text(),
      orgId: text(),
      clientId: text(),
      actorId: text(),
      action: text(),
      outcome: z.enum(['success', 'failure']).nullish(),
      requestId: text(),
      from: z.date().nullish(),
      until: z.date().nullish(),
      cursor: z.string().nullish(),
      limit: z.number().optional(),
    })
    .nullish(),
);

const verifyInput = lazily(() =>
  z
    .object({
      heads: z
        .array(z.object({ seal: z.int().min(1), records: z.int().min(0), mac: z.string().max(100) }))
        .optional(),
    })
    .nullish(),
);

const anonymizedByInput = lazily(() => changeByFields().pick({ actor: true }).nullish());

const defaultPollMs = 1_000;

export class AuditProvider {
  constructor(private readonly tools: Pick<Toolkit, 'audit' | 'changes' | 'locate' | 'storage'>) {}

  /** Returns a page of records, newest first. @throws InvalidRequestError; ProviderNotConfiguredError without the option `audit`. */
  async list(query?: AuditFilter & PageRequest): Promise<Page<{ records: AuditRecord[] }>> {
    const { cursor, limit, from, until, ...conditions } = parseInput(listInput, query) ?? {};
    const known = Object.entries(conditions).filter(([, value]) => value != null);
    const page = { ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) };
    return this.search(Object.fromEntries(known), page, { from, until });
  }

  /**
   * Seals what is not sealed, then checks every record, every seal and the end of the chain. Returns the first fault. Takes about half a
   * minute for a million records.
   * @param options.heads results of `head()` that were kept outside of the database: without them, a chain whose end was cut off by an
   * attacker who has also restored an older state is not noticed. @throws InvalidRequestError, ProviderNotConfiguredError
   */
  async verify(options: { heads?: readonly AuditHead[] } = {}): Promise<AuditVerification> {
    const { failures, records, repository, sealer } = this.audit;
    const { heads = [] } = parseInput(verifyInput, options) ?? {};
    await failures.flush();
    // Not if the chain was changed: a seal would hide it.
    if (readChain(records, await repository.readState())) await sealer.seal();
    return verifyChain(repository, records, heads);
  }

  /** Returns the last seal, to be kept outside of the database. Null before the first one. @throws ProviderNotConfiguredError */
  async head(): Promise<AuditHead | null> {
    const { records, repository, sealer } = this.audit;
    await sealer.seal();
    const { head } = readChain(records, await repository.readState()) ?? {};
    return head && head.seal > 0 ? head : null;
  }

  /** Seals what is not sealed, as the service does by itself, and returns the number of records. @throws ProviderNotConfiguredError */
  async seal(): Promise<number> {
    const { failures, sealer } = this.audit;
    await failures.flush();
    return sealer.seal();
  }

  /**
   * Yields records in the order in which they were sealed, and waits for more until the signal is aborted. No record is left out; after an
   * interruption, continue with the `cursor` of the last record that was handled.
   * @param options.after the cursor of a record. Default: from the beginning.
   * @param options.follow false ends after the records that exist.
   * @param options.pollMs how often it looks for more; default one second. @throws InvalidRequestError, ProviderNotConfiguredError
   */
  tail(
    options: { after?: string | null; follow?: boolean; pollMs?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<TailedAuditRecord, void, undefined> {
    const {
      after,
      follow = true,
      pollMs = defaultPollMs,
      signal,
    } = parseOptions(options, ['after', 'follow', 'pollMs', 'signal']);
    checkMilliseconds(pollMs, 'pollMs');
    if (typeof follow !== 'boolean') throw new InvalidRequestError('follow must be true or false.');
    if (signal !== undefined && !hasMethod(signal, 'addEventListener'))
      throw new InvalidRequestError('signal must be an AbortSignal.');
    return tailRecords(this.audit, parsePosition(after), { pollMs: follow ? pollMs : null, signal });
  }

  /**
   * Removes the IP address, the device and every other origin from the records about a user, and from those in which the user acted. The
   * chain still verifies. The deletion of an account does so. Commits a record of itself, `audit.anonymized`, which has no origin. Returns
   * the number of records that have lost theirs.
   * @param by the actor. Default: the user of the request, or the system. @throws InvalidRequestError, ProviderNotConfiguredError
   */
  async anonymize(userId: string, by?: { actor?: EventActor }): Promise<number> {
    const { failures, repository } = this.audit;
    const id = parseId(userId, 'userId');
    const { actor } = parseInput(anonymizedByInput, by) ?? {};
    await failures.flush();
    await failures.forget([id]);
    const event = { userId: id, ...(actor && { actor }) };
    return this.tools.changes.commit(
      () => repository.anonymize([id]),
      () => [['audit.anonymized', event]],
    );
  }

  /**
   * Returns a page of what has happened to the account of a user, newest first, as the user may see it: without the ids, the address and
   * the device of others, and without refused requests that are not attempts to sign in. @throws UserNotFoundError, InvalidRequestError, ProviderNotConfiguredError
   */
  async listActivity(
    userId: string,
    page?: PageRequest,
    context?: RequestContext,
  ): Promise<Page<{ activity: AuditActivity[] }>> {
    this.assertEnabled();
    const { id } = await existingUser(this.tools.storage.users, userId, context);
    // There can be many refused requests, and they change nothing: they are for operators.
    const { records, nextCursor } = await this.search({ userId: id, notAction: refusedRequest }, page);
    const activity = await placed(
      // Also if an adapter of the application does not know the condition.
      records.filter(({ action }) => action !== refusedRequest).map((record) => toActivity(record, id)),
      this.tools.locate,
    );
    return { activity, nextCursor };
  }

  /** @throws ProviderNotConfiguredError without the option `audit`. */
  assertEnabled(): void {
    void this.audit;
  }

  private async search(
    filter: AuditRecordFilter,
    page: PageRequest | undefined,
    { from, until }: Period = {},
  ): Promise<Page<{ records: AuditRecord[] }>> {
    const { failures, repository } = this.audit;
    await failures.flush();
    const end = until == null ? undefined : firstIdOf(until);
    const { rows, nextCursor } = await readSearch(
      page ?? {},
      ({ after, limit: size }) => {
        const before = after !== undefined && (end === undefined || after < end) ? after : end;
        const range = {
          ...(from != null && { from: firstIdOf(from) }),
          ...(before !== undefined && { before }),
        };
        return repository.list(filter, { ...range, limit: size });
      },
      ({ id }) => id,
    );
    return { records: rows.map(toAuditRecord), nextCursor };
  }

  /** @throws ProviderNotConfiguredError */
  private get audit(): NonNullable<Toolkit['audit']> {
    if (!this.tools.audit) throw new ProviderNotConfiguredError('audit', 'Set the option audit: true.');
    return this.tools.audit;
  }
}

type Period = { from?: Date | null | undefined; until?: Date | null | undefined };

type UnplacedActivity = Omit<AuditActivity, 'place'>;

function toActivity(record: AuditRecord, userId: string): UnplacedActivity {
  const { id, at, action, outcome, actors, details, origin } = record;
  const by = actingOn(actors.at(-1), userId);
  const { ip = null, userAgent = null } = (by === 'user' && origin) || {};
  const method = typeof details['method'] === 'string' ? details['method'] : null;
  return { id, at, action, outcome, by, method, count: attemptsOf(record), ip, userAgent };
}

async function placed(activity: readonly UnplacedActivity[], locate: FindPlace): Promise<AuditActivity[]> {
  const addresses = activity.map(({ ip }) => ip);
  const places = await placesByAddress(locate, addresses);
  return activity.map((each) => ({ ...each, place: places.get(each.ip) ?? null }));
}

function actingOn(actor: AuditActor | undefined, userId: string): AuditActivity['by'] {
  if (actor?.type === 'agent' || actor?.type === 'api_key') return actor.type;
  if (actor?.type === 'user' && actor.id === userId) return 'user';
  if (actor?.type === 'anonymous') return 'unknown';
  return actor?.type === 'user' || actor?.type === 'administrator' ? 'administrator' : 'system';
}

/** Returns the smallest id of a time. */
function firstIdOf(time: Date): string {
  const ms = Math.min(Math.max(Math.ceil(time.getTime()), 0), 2 ** 48 - 1);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
