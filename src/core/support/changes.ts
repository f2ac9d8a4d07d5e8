/**
 * Changes and their events. An audit record is an event that is stored together with its change: with the option `audit`, both commit in
 * one transaction (docs/decisions/audit.md).
 */
import type { AuditActor, StoredAuditRecord } from '../../domain/audit.js';
import type { AuditRepository } from '../../storage/audit-repository.js';
import type { ActingRequest, ActingRequests } from './acting-requests.js';
import { factsOf, type AuditFacts, type AuditRecords } from './audit-records.js';
import type { Clock } from './clock.js';
import type { EmittedEvent, EventActor, EventBus } from './events.js';

/** What the option `audit` adds. */
export interface Auditing {
  /** Records attempts that were refused. */
  readonly failures: {
    add(attempt: { facts: AuditFacts & { reason: string }; now: number; request: ActingRequest }): void;
    /** After the deletion of users, whose origin must not be stored later. Does not reject. */
    anonymize(userIds: readonly string[]): Promise<void>;
  };
  readonly records: AuditRecords;
  readonly repository: AuditRepository;
}

/** An attempt that was refused. */
export type RefusedAttempt = Pick<AuditFacts, 'action'> &
  Partial<Pick<AuditFacts, 'userId' | 'clientId' | 'details' | 'origin'>> & {
    reason: string;
  };

export class Changes {
  /** The errors that have left a record, with the id of the request: several places see the error of one refusal. */
  private readonly recorded = new WeakMap<Error, string | undefined>();

  constructor(
    readonly events: EventBus,
    private readonly requests: ActingRequests,
    private readonly clock: Clock,
    /** Null without the option `audit`. */
    private readonly auditing: Auditing | null,
  ) {}

  /**
   * Makes a change and emits its events after the commit.
   * @param work calls one or several methods of the storage, one after another, and nothing else: it may run again. It must return what
   * the storage has refused, not throw it, if that leaves something behind, such as a counter.
   * @param eventsOf returns the events of the change, none if nothing has changed.
   * @param actingUserId the user on whose behalf the application has called a method, for the record.
   */
  async commit<Result>(
    work: () => Promise<Result>,
    eventsOf: (result: Result) => readonly EmittedEvent[],
    actingUserId?: string,
  ): Promise<Result> {
    let events: readonly EmittedEvent[] = [];
    const { auditing } = this;
    const result = auditing
      ? await auditing.repository.within(work, (outcome) => {
          events = eventsOf(outcome);
          return events.flatMap((event) => this.recordsOf(event, auditing, actingUserId));
        })
      : await work();
    if (!auditing) events = eventsOf(result);
    for (const event of events) this.events.emit(...event);
    return result;
  }

  /** Emits an event that is not a change of the storage, and stores its record. */
  async report(event: EmittedEvent): Promise<void> {
    await this.commit(
      async () => undefined,
      () => [event],
    );
  }

  /** As `commit`, for the deletion of users, of whom no record keeps an origin. @param idsOf returns the users that were deleted. */
  async commitDeletion<Result>(
    work: () => Promise<Result>,
    idsOf: (result: Result) => readonly string[],
    actor?: EventActor,
  ): Promise<Result> {
    const { auditing } = this;
    const workAndAnonymize = async () => {
      const result = await work();
      const ids = idsOf(result);
      if (auditing && ids.length > 0) await auditing.repository.anonymize(ids);
      return result;
    };
    const result = await this.commit(workAndAnonymize, (deleted) =>
      idsOf(deleted).map((userId): EmittedEvent => ['user.deleted', { userId, ...(actor && { actor }) }]),
    );
    const ids = idsOf(result);
    if (ids.length > 0) await auditing?.failures.anonymize(ids);
    return result;
  }

  /**
   * Records an attempt that was refused, in the background: it changes nothing. At most one record for an error.
   * @param error undefined if the refusal has none.
   */
  recordFailure(
    error: Error | undefined,
    { action, reason, userId, clientId, details, origin }: RefusedAttempt,
    client: Pick<ActingRequest, 'ip' | 'userAgent'> = {},
  ): void {
    if (!this.auditing) return;
    const current = this.requests.current ?? { actors: [] };
    if (error && this.isRecorded(error, current)) return;
    if (error) this.recorded.set(error, current.requestId);
    const { failures } = this.auditing;
    const { actors } = current;
    const request = {
      ...current,
      ip: current.ip ?? client.ip,
      userAgent: current.userAgent ?? client.userAgent,
    };
    const by: readonly AuditActor[] = actors.length > 0 ? actors : [{ type: 'anonymous' }];
    const about = { userId, clientId, details, origin };
    const facts = { action, reason, ...about, outcome: 'failure' as const, actors: by };
    failures.add({ facts, now: this.clock(), request });
  }

  /** Runs `work` in the same request, as if its client had not proven who it is. */
  asUnidentified<Result>(work: () => Result): Result {
    return this.requests.unidentified(work);
  }

  /** An application may throw one error object in many requests. The service itself can be called outside of the request. */
  private isRecorded(error: Error, { requestId }: ActingRequest): boolean {
    if (!this.recorded.has(error)) return false;
    const earlier = this.recorded.get(error);
    return earlier === undefined || requestId === undefined || earlier === requestId;
  }

  private recordsOf(
    event: EmittedEvent,
    { records }: Auditing,
    actingUserId: string | undefined,
  ): StoredAuditRecord[] {
    const request = this.requests.current;
    const facts = factsOf(event, request, actingUserId);
    return facts.map((each: AuditFacts) => records.create(each, this.clock(), request));
  }
}
