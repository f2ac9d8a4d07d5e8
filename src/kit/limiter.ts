/**
 * Counted limits. Each try is charged before it is made and refunded when it turns out not to count, so that
 * parallel tries in any number of processes never exceed a limit.
 */
import { mac, sha256 } from '../crypto/digest.js';
import type { Keyring } from '../crypto/keys.js';
import { RateLimitError } from '../errors/catalog.js';
import type { RateLimitHit, RateLimitRepository } from '../storage/repositories.js';
import type { Clock } from './clock.js';
import { checkedResults } from './counter-answers.js';
import { Pace } from './pace.js';
import { RefusedKeys } from './refused-keys.js';
import { WaitingLines } from './waiting-line.js';

// Two at a time from each of four processes stay below the smallest limit on tries, which is ten. And where those in front
// wait for something themselves, such as a connection, the last one must not wait for all of them.
const lane = { width: 2, maxWaiting: 64, patienceMs: 2_000 };

/** Refusals that this process answers at once in a second: more than people get by mistake. */
const refusalsAtOnce = 100;

/** At most `max` per window for whatever `name` and `subject` say. */
export interface Budget extends Omit<RateLimitHit, 'key' | 'max'> {
  name: string;
  subject: string;
  max: number;
  /** True if it counts the caller, a client or a known device, rather than what the try is about. */
  isCaller?: boolean;
  /** What is charged in its place if it refuses. */
  orElse?: readonly Budget[];
}

/** What was charged, to be given back when the try does not count. */
export interface Charge {
  /** How many more the tightest budget allows. */
  readonly remaining: number;
  /** Gives everything back, once: a second call does nothing. */
  refund(): Promise<void>;
  /** Gives back what is not the caller's: for a try that cannot have succeeded, and still cost something. */
  refundAllButCaller(): Promise<void>;
  /** Refunds, and forgets the earlier failures of the named budgets. */
  forgive(...names: readonly string[]): Promise<void>;
}

export class Limiter {
  private readonly lanes = new WaitingLines(lane);
  private readonly refused = new RefusedKeys();
  private readonly pace = new Pace(refusalsAtOnce);

  constructor(
    private readonly counters: RateLimitRepository,
    private readonly secrets: Keyring,
    private readonly clock: Clock,
  ) {}

  /**
   * Charges all budgets or none, in one statement. If only budgets with an `orElse` refuse, charges that in their place. A counter that
   * has refused within the last second refuses again without a query.
   * @throws RateLimitError when one is used up. The others stay as they are then: a try that was refused must not help to
   * lock the owner of an address out of a wider limit. InternalError if the store's answer is not understood.
   */
  async charge(budgets: readonly Budget[]): Promise<Charge> {
    try {
      return await this.chargeOnce(budgets);
    } catch (refusal) {
      if (!(refusal instanceof RateLimitError) || !budgets.some(({ orElse }) => orElse)) throw refusal;
      const fixed = this.keysOf(budgets.filter(({ orElse }) => !orElse));
      if (this.refused.has(fixed, this.clock())) throw refusal;
      const others = budgets.flatMap(({ orElse, ...budget }) => orElse ?? [budget]);
      return await this.chargeOnce(others).catch((error: unknown) => {
        // When the usual way is open again.
        throw error instanceof RateLimitError ? refusal : error;
      });
    }
  }

  private async chargeOnce(budgets: readonly Budget[]): Promise<Charge> {
    const keys = this.keysOf(budgets);
    const now = this.clock();
    const known = this.refused.retryAt(keys, now);
    if (known !== undefined) {
      await this.pace.wait();
      throw new RateLimitError(known - now);
    }
    const hits = budgets.map(({ windowMs, max, growingWait }, i) => ({
      key: keys[i]!,
      windowMs,
      max,
      ...(growingWait && { growingWait }),
    }));
    const results = checkedResults(await this.counters.hit(hits, now), hits);
    const waits = results.flatMap(({ retryAt }, i) => {
      const key = keys[i]!;
      // Also while others refuse: it may have been forgiven in another process.
      if (retryAt === undefined) this.refused.forget([key]);
      else this.refused.remember(key, retryAt, now);
      return retryAt === undefined ? [] : [retryAt - now];
    });
    if (waits.length > 0) throw new RateLimitError(Math.max(...waits));
    return this.chargeOf(budgets, keys, Math.min(...results.map(({ count }, i) => budgets[i]!.max - count)));
  }

  /**
   * Tries of one lane wait for each other a little, so that a burst of honest ones is not counted as guesses while they are
   * under way. Who has waited enough goes ahead: the limit itself decides.
   */
  inLane<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.lanes.run(key, work, work);
  }

  /**
   * Charges, then does the work, which may say by its charge that it does not count after all. What fails, rather than being
   * answered, does not count: a send that the sender refused is not charged.
   */
  async spend<T>(budgets: readonly Budget[], work: (charge: Charge) => Promise<T>): Promise<T> {
    const charge = await this.charge(budgets);
    try {
      return await work(charge);
    } catch (error) {
      // Whatever keeps the refund from being made is not what went wrong.
      await charge.refund().catch(() => undefined);
      throw error;
    }
  }

  /** A try in its lane: `inLane` and `spend`. */
  attempt<T>(key: string, budgets: readonly Budget[], work: (charge: Charge) => Promise<T>): Promise<T> {
    return this.inLane(key, () => this.spend(budgets, work));
  }

  /** Forgets the tries of these budgets: what they were about is gone. */
  async forget(budgets: readonly Budget[]): Promise<void> {
    await this.reset(this.keysOf(budgets));
  }

  /**
   * True the first time within the window: what is seen again is a replay.
   * @param digest of something random, which needs no secret to be hidden: so a rotation makes no replay the first time.
   */
  async first(name: string, digest: string, windowMs: number): Promise<boolean> {
    const [seen] = await this.counters.hit([{ key: `${name}:${digest}`, windowMs }], this.clock());
    return seen?.count === 1;
  }

  private chargeOf(budgets: readonly Budget[], keys: readonly string[], remaining: number): Charge {
    let open = keys;
    const giveBack = async (returned: readonly string[]) => {
      open = open.filter((key) => !returned.includes(key));
      if (returned.length === 0) return;
      await this.counters.refund(returned, this.clock());
      this.refused.forget(returned);
    };
    const refund = () => giveBack(open);
    return {
      remaining,
      refund,
      refundAllButCaller: () => giveBack(open.filter((key) => !budgets[keys.indexOf(key)]?.isCaller)),
      forgive: async (...names) => {
        await refund();
        await this.reset(keys.filter((_, i) => names.includes(budgets[i]!.name)));
      },
    };
  }

  private async reset(keys: readonly string[]): Promise<void> {
    await this.counters.reset(keys);
    this.refused.forget(keys);
  }

  // The subject is an address, a number or an IP: a counter need not know whose it is, and a plain digest would tell whoever
  // tries all numbers. Digested before, because a part of a MAC has at most 64 KB and an IP of a caller may be anything.
  private keysOf(budgets: readonly Budget[]): string[] {
    const [key] = this.secrets.subkeys('rate_limit');
    return budgets.map(
      ({ name, subject }) => `${name}:${mac(key, name, sha256(subject)).toString('base64url')}`,
    );
  }
}
