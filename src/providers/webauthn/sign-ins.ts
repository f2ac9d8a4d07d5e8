/** Sign-in with a passkey as the first factor, or as both. */
import type * as z from 'zod';
import type { StoredCredential } from '../../domain/credential.js';
import { anybody } from '../../domain/single-use-token.js';
import { TokenInvalidError } from '../../errors/catalog.js';
import { autofillLimits, challengeLimits } from '../../core/limits/rate-limits.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { SignInAttempt } from '../../core/sessions/sign-in-attempts.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import { parseInput } from '../../core/support/input.js';
import type { CredentialRepository } from '../../storage/second-factor-repositories.js';
import type { Assertions } from './assertions.js';
import type { Challenges } from './challenges.js';
import { authenticationInput, type PasskeyTools, type WebAuthnOptions } from './options.js';
import type { PasskeyPolicy } from './policy.js';

/** It names no one: the user that the client names is a claim. */
const attemptOf = (context: RequestContext): SignInAttempt => ({ method: 'passkey', subject: '', context });

export class PasskeySignIns {
  constructor(
    private readonly options: WebAuthnOptions,
    private readonly tools: PasskeyTools,
    private readonly credentials: CredentialRepository,
    private readonly challenges: Challenges,
    private readonly policy: PasskeyPolicy,
    private readonly assertions: Assertions,
  ) {}

  async start(userId: string | undefined, context: RequestContext) {
    const { limiter, storage } = this.tools;
    await limiter.consume(challengeLimits(parseContext(context).ip));
    const user = userId === undefined ? null : await existingUser(storage.users, userId);
    const allowed = user ? await this.credentials.listForUser(user.id) : [];
    return this.issue(user?.id ?? anybody, allowed);
  }

  async startAutofill(context: RequestContext) {
    await this.tools.limiter.consume(autofillLimits(parseContext(context).ip));
    return this.issue(anybody, []);
  }

  async finish(input: unknown, context: RequestContext): Promise<SignInResult> {
    const parsed = parseInput(authenticationInput, input);
    context = parseContext(context);
    return this.tools.signIn.attempts.run(attemptOf(context), () => this.finishWith(parsed, context));
  }

  private async finishWith(
    { userId, response, expectedChallenge }: z.output<ReturnType<typeof authenticationInput>>,
    context: RequestContext,
  ): Promise<SignInResult> {
    const { signIn } = this.tools;
    try {
      await this.challenges.consume('webauthn_authentication', expectedChallenge, [anybody, userId]);
      const redeemed = await this.assertions.redeem(response, expectedChallenge, userId, context);
      // Possession with user verification is two factors (NIST SP 800-63B); a touch alone is one.
      const { user, credentialId, userVerified } = redeemed;
      const isTwoFactors = this.options.countsAsTwoFactors && userVerified;
      return isTwoFactors
        ? await signIn.completeTwoFactors('passkey', user, context, { credentialId })
        : await signIn.completeSignIn('passkey', user, false, context);
    } catch (error) {
      // Only the owner of a passkey that was read is the account of the attempt.
      if (error instanceof TokenInvalidError) throw signIn.failed(attemptOf(context), error);
      throw error;
    }
  }

  private async issue(subject: string, allowed: readonly StoredCredential[]) {
    const options = await this.policy.authenticationOptions(allowed);
    await this.challenges.remember('webauthn_authentication', options.challenge, subject, {});
    return { options, challenge: options.challenge };
  }
}
