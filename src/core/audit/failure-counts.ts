/**
 * Which refused attempts get a record each. Anyone can make as many as the network carries, most of them without a limit that counts them,
 * such as forged links: so beyond what people cause, those that are alike are counted in one record (docs/audit.md).
 */
import { canonicalClientAddress } from '../../domain/client-address.js';
import { ownedNetworkOf } from '../../domain/client-network.js';
import type { AuditFacts } from '../support/audit-records.js';
import type { ActingRequest } from '../support/acting-requests.js';
import { isOrdinary } from '../support/refused-requests.js';

/** An attempt that was refused, before it is a record. */
export interface FailedAttempt {
  facts: AuditFacts & { reason: string };
  now: number;
  request: ActingRequest | undefined;
}

export const windowMs = 60_000;
/** The first records of one account, action, method and reason within a window: others cannot use them up. */
export const ensuredPerAccount = 2;
/** Accounts with their actions, methods and reasons for which the first records of a window are kept free. */
export const maxEnsured = 1_000;
/** Records of one action, method, reason, subject and client within a window. The next ones are counted together. */
export const maxAlike = 10;
/** Records of one client within a window. Its next ones are counted, so that they leave room for others. */
export const maxPerClient = 60;
/** Records of all clients within a window, once for attempts whose account was read and once for the others. The next ones are counted. */
export const maxPerWindow = 600;
/** Counts of a window by account and client, and as many again by account alone. The next ones are of several accounts. */
export const maxCounts = 1_000;

interface Counted {
  /** What all of the attempts have in common, at the time of the last one. */
  shared: FailedAttempt;
  count: number;
}

/** The attempts of a window that compete for the same records. */
class Budget {
  private records = 0;
  private readonly perClient = new Map<string, number>();
  private readonly alike = new Map<string, number>();
  private readonly counted = new Map<string, Counted>();

  /** Returns whether the attempt gets its own record. If not, it is counted. @param isEnsured whether it gets one in any case. */
  admit(attempt: FailedAttempt, isEnsured: boolean): boolean {
    const { facts } = attempt;
    const { ip, network } = clientOf(attempt);
    const alike = keyOf(facts, facts.userId ?? facts.origin?.address ?? '', ip);
    const sameBefore = this.alike.get(alike) ?? 0;
    const ofClient = this.perClient.get(network) ?? 0;
    // An application that passes no addresses has one client for all of its users.
    const isOver = network !== '' && ofClient >= maxPerClient;
    if (!isEnsured && sameBefore >= maxAlike) {
      this.count(alike, attempt);
      return false;
    }
    if (!isEnsured && (isOver || this.records >= maxPerWindow)) {
      this.countTogether(attempt, isOver);
      return false;
    }
    this.alike.set(alike, sameBefore + 1);
    this.perClient.set(network, ofClient + 1);
    this.records += 1;
    return true;
  }

  begin(): void {
    this.records = 0;
    this.perClient.clear();
    this.alike.clear();
  }

  get hasCounted(): boolean {
    return this.counted.size > 0;
  }

  take(): FailedAttempt[] {
    const attempts = [...this.counted.values()].map(({ shared, count }) => ({
      ...shared,
      facts: { ...shared.facts, details: { ...shared.facts.details, count } },
    }));
    this.counted.clear();
    return attempts;
  }

  forget(userIds: readonly string[]): void {
    for (const counted of this.counted.values()) {
      const { facts } = counted.shared;
      const isTheirs = [facts.userId, ...facts.actors.map(({ id }) => id)].some(
        (id) => typeof id === 'string' && userIds.includes(id),
      );
      if (!isTheirs) continue;
      counted.shared = { ...counted.shared, facts: { ...facts, origin: null }, request: undefined };
    }
  }

  /** Counts an attempt with all others that have its action, method and reason. */
  countAll(attempt: FailedAttempt): void {
    this.count(keyOf(attempt.facts), attempt);
  }

  /**
   * Counts an attempt in the first group that has room: of its account and client, of its account, or of several accounts. One account
   * that many clients attack does not take the room of the second.
   */
  private countTogether(attempt: FailedAttempt, isOver: boolean): void {
    const { facts } = attempt;
    const { network } = clientOf(attempt);
    const together = isOver ? keyOf(facts, network) : keyOf(facts);
    if (!facts.userId) return this.count(together, attempt);
    const hasRoom = (key: string, room: number) => this.counted.has(key) || this.counted.size < room;
    const ofBoth = keyOf(facts, facts.userId, network);
    if (hasRoom(ofBoth, maxCounts)) return this.count(ofBoth, attempt);
    const ofAccount = keyOf(facts, facts.userId);
    this.count(hasRoom(ofAccount, 2 * maxCounts) ? ofAccount : together, attempt);
  }

  private count(key: string, attempt: FailedAttempt): void {
    const before = this.counted.get(key);
    const shared = before ? inCommon(before.shared, attempt) : attempt;
    this.counted.set(key, { shared, count: (before?.count ?? 0) + 1 });
  }
}

export class FailureCounts {
  private start = -Infinity;
  private readonly ensured = new Map<string, number>();
  /** Anyone can invent links and addresses, but not accounts: so the two do not compete. */
  private readonly ofAccounts = new Budget();
  private readonly ofOthers = new Budget();
  /** Of ordinary traffic, which gets no records: one count for each reason. */
  private readonly ofTraffic = new Budget();

  /** Returns whether the attempt gets its own record. If not, it is counted until `take`. Call `take` first. */
  admit(attempt: FailedAttempt): boolean {
    const { userId } = attempt.facts;
    if (isOrdinary(attempt.facts)) {
      this.ofTraffic.countAll(attempt);
      return false;
    }
    if (!userId) return this.ofOthers.admit(attempt, false);
    return this.ofAccounts.admit(attempt, this.isEnsured(attempt, userId));
  }

  /** Begins a new window if the last one has ended, and returns what was counted in it, or with `all`, what was counted so far. */
  take(now: number, all = false): FailedAttempt[] {
    const isOver = now >= this.start + windowMs || now < this.start;
    if (!isOver && !all) return [];
    if (isOver) {
      this.start = now;
      this.ensured.clear();
      for (const budget of this.budgets) budget.begin();
    }
    return this.budgets.flatMap((budget) => budget.take());
  }

  /** Whether `take` has something to return, other than ordinary traffic. */
  get hasCounted(): boolean {
    return this.ofAccounts.hasCounted || this.ofOthers.hasCounted;
  }

  /** What was counted about users who were deleted keeps neither their origin nor their names. */
  forget(userIds: readonly string[]): void {
    for (const budget of this.budgets) budget.forget(userIds);
  }

  private get budgets(): readonly Budget[] {
    return [this.ofAccounts, this.ofOthers, this.ofTraffic];
  }

  private isEnsured({ facts }: FailedAttempt, userId: string): boolean {
    const key = keyOf(facts, userId);
    const before = this.ensured.get(key);
    if (before === undefined && this.ensured.size >= maxEnsured) return false;
    if (before !== undefined && before >= ensuredPerAccount) return false;
    this.ensured.set(key, (before ?? 0) + 1);
    return true;
  }
}

/** Empty if the address is not known. The owner of a network chooses any address in it. */
function clientOf({ request }: FailedAttempt): { ip: string; network: string } {
  if (request?.ip === undefined) return { ip: '', network: '' };
  const ip = canonicalClientAddress(request.ip);
  return { ip, network: ownedNetworkOf(ip) };
}

/** Returns the later attempt without an account, actors, a client, an address or details that the earlier one does not have. */
function inCommon(earlier: FailedAttempt, later: FailedAttempt): FailedAttempt {
  const { facts } = later;
  const isSameClient = clientOf(earlier).network === clientOf(later).network;
  const isSameActor = JSON.stringify(earlier.facts.actors) === JSON.stringify(facts.actors);
  return {
    now: later.now,
    facts: {
      ...facts,
      userId: earlier.facts.userId === facts.userId ? facts.userId : null,
      clientId: earlier.facts.clientId === facts.clientId ? facts.clientId : undefined,
      details: detailsInCommon(earlier.facts.details, facts.details),
      actors: isSameActor ? facts.actors : [{ type: 'anonymous' }],
      origin: originInCommon(earlier.facts.origin, facts.origin),
    },
    request: isSameClient ? requestInCommon(earlier.request, later.request) : undefined,
  };
}

function requestInCommon(earlier: ActingRequest | undefined, later: ActingRequest | undefined) {
  if (!earlier || !later) return undefined;
  const userAgent = earlier.userAgent === later.userAgent ? later.userAgent : undefined;
  const requestId = earlier.requestId === later.requestId ? later.requestId : undefined;
  return { ...later, userAgent, requestId };
}

function detailsInCommon(earlier: object = {}, later: object = {}): object {
  const before = new Map<string, unknown>(Object.entries(earlier));
  return Object.fromEntries(Object.entries(later).filter(([name, value]) => before.get(name) === value));
}

function originInCommon(earlier: AuditFacts['origin'], later: AuditFacts['origin']): AuditFacts['origin'] {
  // Removed: what comes later must not bring it back.
  if (earlier === null) return null;
  return earlier?.address === later?.address ? later : undefined;
}

/** The key of attempts that are alike in more than their action, method and reason. */
const keyOf = (facts: FailedAttempt['facts'], ...more: readonly string[]): string =>
  JSON.stringify([facts.action, methodOf(facts), facts.reason, ...more]);

function methodOf({ details }: AuditFacts): unknown {
  return details && 'method' in details ? details.method : null;
}
