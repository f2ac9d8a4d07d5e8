/** The response of a passkey to a challenge: its owner, its verification and the record of its use. */
import { InternalError, TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { StoredCredential } from '../../domain/credential.js';
import type { AuthenticationResponse } from '../../domain/passkey-json.js';
import type { DeviceInfo } from '../../domain/session.js';
import type { StoredUser } from '../../domain/user.js';
import { withAttemptedUser } from '../../core/support/attempted-user.js';
import { describeError, type Logger } from '../../core/support/logger.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { CredentialRepository } from '../../storage/second-factor-repositories.js';
import { isCredentialId } from './answer.js';
import { inStandardShape } from './field-shapes.js';
import { userHandle, type PasskeyPolicy, type SignInStep, type VerifiedAuthentication } from './policy.js';

export class Assertions {
  constructor(
    private readonly tools: Pick<Toolkit, 'changes' | 'clock' | 'logger'>,
    private readonly credentials: CredentialRepository,
    private readonly policy: PasskeyPolicy,
  ) {}

  /**
   * Verifies a response to a challenge that has been consumed, and records the use.
   * @param userId the user who must own the passkey; any user if it is undefined.
   * @throws TokenInvalidError for every invalid response, with the reason `passkey_unknown` if no user has the passkey.
   */
  async redeem(
    response: AuthenticationResponse,
    challenge: string,
    userId: string | undefined,
    { ip, userAgent }: RequestContext,
    step: SignInStep = 'first',
  ): Promise<{ user: StoredUser; credentialId: string; userVerified: boolean }> {
    response = inStandardShape(response);
    const { credential, user } = await this.ownerOf(response, userId);
    try {
      const answer = await verified(this.tools.logger, () =>
        this.policy.verifyAuthentication(response, challenge, credential, step),
      );
      const isKnown = Boolean(ip ?? userAgent);
      const from = { ...(ip && { ip }), ...(userAgent && { userAgent }) };
      await this.use(credential, answer, isKnown ? from : undefined);
      return { user, credentialId: response.id, userVerified: answer.userVerified };
    } catch (error) {
      throw withAttemptedUser(error, user.id);
    }
  }

  private async ownerOf(
    response: AuthenticationResponse,
    userId: string | undefined,
  ): Promise<{ credential: StoredCredential; user: StoredUser }> {
    const id: unknown = response?.id;
    const found = isCredentialId(id) ? await this.credentials.findWithUser(id) : null;
    // Only this says that the passkey can be removed from the browser: it is the passkey of no one.
    if (isCredentialId(id) && !found) throw new TokenInvalidError({ reason: 'passkey_unknown' });
    if (!found) throw new TokenInvalidError(because('passkey_other_user'));
    const otherUser = () =>
      withAttemptedUser(new TokenInvalidError(because('passkey_other_user')), found.user.id);
    if (userId !== undefined && found.user.id !== userId) throw otherUser();
    // WebAuthn Level 3, 7.2, step 6: a discoverable passkey names its user, who must be the owner.
    const handle: unknown = response.response?.userHandle;
    const expected =
      found.credential.userHandle ?? Buffer.from(userHandle(found.user.id)).toString('base64url');
    const isAbsent = handle === undefined && userId !== undefined;
    // Empty: the system that registered it has not kept the handle. The key alone proves the owner.
    if (!isAbsent && expected !== '' && handle !== expected) throw otherUser();
    return found;
  }

  /** A counter that does not increase indicates a cloned key (WebAuthn Level 3, 6.1.1). */
  private async use(
    { id, userId }: StoredCredential,
    { counter, backedUp }: VerifiedAuthentication,
    from: DeviceInfo | undefined,
  ): Promise<void> {
    const { changes, clock, logger } = this.tools;
    if (await this.credentials.use({ id, counter, backedUp, ...(from && { from }), now: new Date(clock()) }))
      return;
    // Removed in the meantime: not a cloned key.
    if (!(await this.credentials.findWithUser(id))) throw new TokenInvalidError(because('passkey_unknown'));
    const about = { userId, credentialId: id };
    logger.warn(
      { event: 'passkey_counter_regressed', ...about },
      'the counter of a passkey did not go forward',
    );
    await changes.report(['passkey.counter_regressed', about]);
    throw new TokenInvalidError(because('passkey_invalid'));
  }
}

/**
 * Maps every fault of a response to one error for the caller, and logs the reason, without the library's quotes from it.
 * @throws TokenInvalidError
 */
export async function verified<T>(logger: Logger, verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    if (error instanceof InternalError) throw error; // a package that could not be loaded
    const [reason] = String(describeError(error).message).slice(0, 100).split(/["':]/, 1);
    logger.info({ event: 'passkey_refused', reason }, 'a passkey response is invalid');
    throw new TokenInvalidError(because('passkey_invalid'));
  }
}
