/**
 * Asks clients that sign up or request mails often to solve a challenge first. Below the threshold no one sees one. The response
 * depends on the client alone, never on the address that it names.
 */
import { sha256 } from '../../crypto/digest.js';
import { canonicalClientAddress, isClient } from '../../domain/client-address.js';
import { isPlainObject } from '../../domain/metadata.js';
import { ChallengeRequiredError, InternalError, RateLimitError } from '../../errors/catalog.js';
import type { Clock } from '../support/clock.js';
import { withTimeout } from '../support/timeouts.js';
import type {
  ChallengeOptions,
  ChallengeProvider,
  ChallengePurpose,
  ChallengeRequest,
  ChallengeSolution,
} from './challenge-options.js';
import type { Limiter } from './limiter.js';
import { minute, perIp } from './rate-limits.js';

const timeoutMs = 10_000;

/** Checks of solutions per client: each may call another service. */
const verifications = { max: 100, windowMs: 15 * minute };

/** Longer than a solution of any provider. */
const maxSolutionLength = 8_192;

/** A used solution is remembered for longer than it is valid, because clocks of processes differ. */
const clockToleranceMs = minute;

interface Tools {
  limiter: Limiter;
  clock: Clock;
}

export class Challenges {
  /** @param options null if no challenge is configured. */
  constructor(
    private readonly options: ChallengeOptions | null,
    private readonly provider: ChallengeProvider | null,
    private readonly tools: Tools,
  ) {}

  /**
   * Lets a request pass if its client has made few of them, or if it contains the solution of a challenge, which is consumed.
   * Programmatic calls without the address of a client always pass.
   * @param isKnown returns whether the request is exempt: the browser of the owner of the account, for example. Called only if a
   * challenge is configured.
   * @throws ChallengeRequiredError with a new challenge; its reason is `challenge_invalid` after a wrong, expired or used solution.
   * RateLimitError after too many solutions; InternalError if the provider fails.
   */
  async assertSolved(
    purpose: ChallengePurpose,
    solution: string | undefined,
    ip: string | undefined,
    isKnown: () => Promise<boolean> = async () => false,
  ): Promise<void> {
    const { options, provider } = this;
    if (!options || !provider || !isClient(ip)) return;
    const client = canonicalClientAddress(ip);
    if (solution === undefined) {
      if ((await isKnown()) || (await this.isBelowThreshold(options, client))) return;
      throw await this.newChallenge(provider, purpose, client);
    }
    await this.tools.limiter.consume(perIp('challenge-solution:ip', client, verifications));
    if (await this.isRight(provider, purpose, solution, client)) return;
    throw await this.newChallenge(provider, purpose, client, 'challenge_invalid');
  }

  /** Atomic in the storage: parallel requests do not pass more often than the threshold allows. */
  private async isBelowThreshold({ after, windowMs }: ChallengeOptions, client: string): Promise<boolean> {
    if (after === 0) return false;
    try {
      const free = perIp('challenge-free:ip', client, { max: after, windowMs });
      await this.tools.limiter.consume(free.map((limit) => ({ ...limit, isPace: true })));
      return true;
    } catch (error) {
      if (error instanceof RateLimitError) return false;
      throw error;
    }
  }

  private async isRight(
    provider: ChallengeProvider,
    purpose: ChallengePurpose,
    solution: string,
    ip: string,
  ): Promise<boolean> {
    if (solution.length > maxSolutionLength) return false;
    const request = this.requestOf(purpose, ip);
    const right = checkedSolution(await called('verify', () => provider.verify(solution, request)));
    if (!right) return false;
    const windowMs = right.expiresAt.getTime() - request.now;
    // Written so that an invalid date counts as expired.
    if (!(windowMs > 0)) return false;
    const digest = sha256(right.id);
    return this.tools.limiter.isFirstUse('challenge', digest, windowMs + clockToleranceMs);
  }

  private async newChallenge(
    provider: ChallengeProvider,
    purpose: ChallengePurpose,
    ip: string,
    reason?: 'challenge_invalid',
  ): Promise<ChallengeRequiredError> {
    const request = this.requestOf(purpose, ip);
    const challenge: unknown = await called('create', () => provider.create(request));
    if (!isPlainObject(challenge)) throw failed('create', new TypeError('create must return an object.'));
    return new ChallengeRequiredError({ ...challenge, purpose }, reason && { reason });
  }

  private requestOf(purpose: ChallengePurpose, ip: string): ChallengeRequest {
    return Object.freeze({ purpose, ip, now: this.tools.clock() });
  }
}

/** Refuses the request if the provider fails: otherwise an attacker would overload it first. */
async function called<T>(name: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await withTimeout((async () => call())(), `signUp.challenge.provider.${name}`, timeoutMs);
  } catch (error) {
    throw failed(name, error);
  }
}

function failed(name: string, cause: unknown): InternalError {
  return new InternalError(cause, `signUp.challenge.provider.${name} failed.`);
}

function checkedSolution(result: unknown): ChallengeSolution | null {
  if (result === null || result === undefined || result === false) return null;
  const { id, expiresAt } = result as Partial<ChallengeSolution>;
  if (typeof id !== 'string' || id === '' || typeof expiresAt?.getTime !== 'function')
    throw failed('verify', new TypeError('verify must return null or { id, expiresAt }.'));
  return { id, expiresAt };
}
