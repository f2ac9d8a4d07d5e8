/**
 * The request in which a change happens, for its record in the audit log. Nothing is decided by it. It is ambient, because a change can be
 * many calls away from the request.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditActor } from '../../domain/audit.js';

export interface ActingRequest {
  /** In whose name, then who acts for it. Empty until the client has proven who it is. */
  actors: readonly AuditActor[];
  ip?: string | undefined;
  userAgent?: string | undefined;
  requestId?: string | undefined;
}

export class ActingRequests {
  private readonly requests = new AsyncLocalStorage<ActingRequest>();

  /** @param isOn whether the audit log is on. If not, nothing is remembered. */
  constructor(readonly isOn: boolean) {}

  get current(): ActingRequest | undefined {
    return this.requests.getStore();
  }

  /** Runs `work` as part of a request, unless it is one already. @param facts called if the audit log is on. */
  run<Result>(facts: () => ActingRequest, work: () => Result): Result {
    if (!this.isOn || this.current) return work();
    return this.requests.run({ ...facts() }, work);
  }

  /** Runs `work` in the same request, as if its client had not proven who it is. */
  unidentified<Result>(work: () => Result): Result {
    const { current } = this;
    return current && current.actors.length > 0
      ? this.requests.run({ ...current, actors: [] }, work)
      : work();
  }

  /** Sets who acts in the current request. @param actors called if there is one. */
  identify(actors: () => readonly AuditActor[]): void {
    const { current } = this;
    if (current) current.actors = actors();
  }
}
