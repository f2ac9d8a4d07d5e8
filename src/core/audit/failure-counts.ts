/**
 * Which refused attempts get a record each. Anyone can make as many as the network carries, most of them without a limit that counts them,
 * such as forged links: so beyond what people cause, those that are alike are counted in one record (docs/audit.md).
 */
import { canonicalClientAddress } from '../../domain/client-address.js';
import { ownedNetworkOf } from '../../domain/client-network.js';
import type { AuditFacts } from '../support/audit-records.js';
import type { ActingRequest } from '../support/acting-requests.js';

/** An attempt that was refused, before it is a record. */
export interface FailedAttempt {
  facts: AuditFacts & { reason: string };
  now: number;
  request: ActingRequest | undefined;
}

export const windowMs = 60_000;
/** Records of one action, method, reason, subject and client within a window. The next ones are counted together. */
export const maxAlike = 10;
/** Records of one client within a window. Its next ones are counted together by action, method and reason, so that they leave room for others. */
export const maxPerClient = 60;
/** Records of all attempts within a window. The next ones are counted together by action, method and reason. */
export const maxPerWindow = 600;

interface Counted {
  last: FailedAttempt;
  count: number;
}

export class FailureCounts {
  private start = -Infinity;
  private records = 0;
  private readonly perClient = new Map<string, number>();
  private readonly alike = new Map<string, number>();
  private readonly counted = new Map<string, Counted>();

  /** Returns whether the attempt gets its own record. If not, it is counted until `take`. Call `take` first. */
  admit(attempt: FailedAttempt): boolean {
    const { facts, request } = attempt;
    const kind = [facts.action, methodOf(facts), facts.reason];
    const who = [facts.userId ?? facts.origin?.address ?? '', request?.ip ?? ''];
    const key = JSON.stringify([...kind, ...who]);
    const same = this.alike.get(key) ?? 0;
    if (same >= maxAlike) {
      this.count(key, attempt);
      return false;
    }
    const client = clientOf(attempt);
    const ofClient = this.perClient.get(client) ?? 0;
    // An application that passes no addresses has one client for all of its users.
    if (client !== '' && ofClient >= maxPerClient) {
      this.count(JSON.stringify([...kind, client]), withoutAccount(attempt));
      return false;
    }
    if (this.records >= maxPerWindow) {
      // Those of different clients: the record names none of them.
      this.count(JSON.stringify(kind), { ...withoutAccount(attempt), request: undefined });
      return false;
    }
    this.alike.set(key, same + 1);
    this.perClient.set(client, ofClient + 1);
    this.records += 1;
    return true;
  }

  /** Begins a new window if the last one has ended, and returns what was counted in it, or with `all`, what was counted so far. */
  take(now: number, all = false): FailedAttempt[] {
    const isOver = now >= this.start + windowMs || now < this.start;
    if (isOver) {
      this.start = now;
      this.records = 0;
      this.perClient.clear();
      this.alike.clear();
    } else if (!all) return [];
    const attempts = [...this.counted.values()].map(({ last, count }) => ({
      ...last,
      facts: { ...last.facts, details: { ...last.facts.details, count } },
    }));
    this.counted.clear();
    return attempts;
  }

  /** What was counted about users who were deleted keeps neither their origin nor their names. */
  forget(userIds: readonly string[]): void {
    for (const [key, { last, count }] of this.counted) {
      const { facts } = last;
      const isTheirs = [facts.userId, ...facts.actors.map(({ id }) => id)].some(
        (id) => typeof id === 'string' && userIds.includes(id),
      );
      if (!isTheirs) continue;
      const anonymous = { ...last, facts: { ...facts, origin: null }, request: undefined };
      this.counted.set(key, { last: anonymous, count });
    }
  }

  private count(key: string, attempt: FailedAttempt): void {
    const count = (this.counted.get(key)?.count ?? 0) + 1;
    this.counted.set(key, { last: attempt, count });
  }
}

/** Empty if the address is not known. The owner of a network chooses any address in it. */
function clientOf({ request }: FailedAttempt): string {
  return request?.ip === undefined ? '' : ownedNetworkOf(canonicalClientAddress(request.ip));
}

/** One of several attempts on different accounts, of which the record names none. */
function withoutAccount(attempt: FailedAttempt): FailedAttempt {
  const facts = {
    ...attempt.facts,
    userId: null,
    origin: undefined,
    actors: [{ type: 'anonymous' } as const],
  };
  return { ...attempt, facts };
}

function methodOf({ details }: AuditFacts): unknown {
  return details && 'method' in details ? details.method : null;
}
