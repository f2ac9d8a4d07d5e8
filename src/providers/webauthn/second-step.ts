/** A passkey as the second factor, after a sign-in with another method (docs/decisions/passkeys.md, docs/decisions/second-factor.md). */
import type * as z from 'zod';
import { TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { challengeLimits, secondStepChallengeLimits } from '../../core/limits/rate-limits.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import { contextAfter } from '../../core/sessions/second-factor.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import { secondStep } from '../../core/sessions/sign-in-attempts.js';
import { parseInput } from '../../core/support/input.js';
import type { CredentialRepository } from '../../storage/second-factor-repositories.js';
import type { Assertions } from './assertions.js';
import type { Challenges } from './challenges.js';
import { finishSecondFactorInput, startSecondFactorInput, type PasskeyTools } from './options.js';
import type { PasskeyPolicy } from './policy.js';

export class PasskeySecondStep {
  constructor(
    private readonly tools: PasskeyTools,
    private readonly credentials: CredentialRepository,
    private readonly challenges: Challenges,
    private readonly policy: PasskeyPolicy,
    private readonly assertions: Assertions,
  ) {}

  async start(input: unknown, context: RequestContext) {
    const { limiter, secondFactor } = this.tools;
    const { token } = parseInput(startSecondFactorInput, input);
    const { ip } = parseContext(context);
    const { id, user } = await secondFactor.open(token, 'passkey');
    await limiter.consume([...challengeLimits(ip), ...secondStepChallengeLimits(user.id)]);
    const allowed = await this.credentials.listForUser(user.id);
    const options = await this.policy.authenticationOptions(allowed, 'second');
    // Bound to this sign-in: a response to a challenge of another one is worth nothing in it.
    await this.challenges.remember('webauthn_second_factor', options.challenge, user.id, { pendingId: id });
    return { options, challenge: options.challenge };
  }

  async finish(input: unknown, context: RequestContext): Promise<SignInResult> {
    const parsed = parseInput(finishSecondFactorInput, input);
    context = parseContext(context);
    return this.tools.signIn.attempts.run(secondStep(context), () => this.finishWith(parsed, context));
  }

  private async finishWith(
    { token, response, expectedChallenge }: z.output<ReturnType<typeof finishSecondFactorInput>>,
    context: RequestContext,
  ): Promise<SignInResult> {
    const { secondFactor, signIn } = this.tools;
    // Opened first: without a pending sign-in no challenge is used up.
    const first = await secondFactor.open(token, 'passkey');
    const { id, method, use, user } = first;
    const methods = `${method}+passkey`;
    let credentialId: string;
    try {
      const challenge = await this.challenges.consume('webauthn_second_factor', expectedChallenge, [user.id]);
      if (challenge.metadata['pendingId'] !== id)
        throw new TokenInvalidError(because('passkey_challenge_invalid'));
      const passkey = await this.assertions.redeem(response, expectedChallenge, user.id, context, 'second');
      credentialId = passkey.credentialId;
      if (!(await use())) throw new TokenInvalidError(because('proof_used'));
    } catch (error) {
      if (error instanceof TokenInvalidError)
        throw signIn.failed({ method: methods, userId: user.id, context }, error);
      throw error;
    }
    // The user as read with the first factor: a revocation since then voids the session.
    return signIn.completeTwoFactors(methods, user, contextAfter(first, context), { credentialId });
  }
}
