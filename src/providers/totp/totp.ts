/**
 * A second factor by an authenticator app, with recovery codes (specification 4.3, `totp`; docs/decisions/second-factor.md).
 * If it is enabled, no sign-in over HTTP gets a session without it (core/sessions/sign-in.ts).
 */
import type { Keyring } from '../../crypto/keys.js';
import { seal } from '../../crypto/secret-box.js';
import { newTotpSecret, totpStepOf, totpUri } from '../../crypto/totp-code.js';
import type { StoredUser } from '../../domain/user.js';
import {
  CodeInvalidError,
  CodeNotFoundError,
  EncryptionRequiredError,
  NotAuthorizedError,
  TokenInvalidError,
  UserNotFoundError,
} from '../../errors/catalog.js';
import type { ServiceError } from '../../errors/service-error.js';
import { capability } from '../../core/support/capability.js';
import { parseAdministrative, type AdministrativeChange } from '../../core/sessions/change-by.js';
import type { EventActor } from '../../core/support/events.js';
import { existingMember, existingUser } from '../../core/sessions/existing-user.js';
import { optional, parseCode, parseInput } from '../../core/support/input.js';
import type { IssuedSession } from '../../core/sessions/sessions.js';
import type { RequestContext, SignInResult } from '../../core/sessions/sign-in.js';
import type { TotpRepository } from '../../storage/second-factor-repositories.js';
import { Guesses, type Guess } from './guesses.js';
import { secondFactorInput } from './inputs.js';
import type { NewRecoveryCodes, SecondFactorInput, StartingContext } from './inputs.js';
import type { TotpTools } from './options.js';
import { newRecoveryCodes, recoveryCodeHashes } from './recovery-codes.js';

export class TotpProvider {
  private readonly enrollments: TotpRepository;
  private readonly guesses: Guesses;

  constructor(private readonly tools: TotpTools) {
    this.enrollments = capability(tools.storage, 'totp');
    this.guesses = new Guesses(this.enrollments, tools);
  }

  /**
   * Creates a secret, to be scanned and then confirmed. Until then nothing changes: an enrolled app remains valid.
   * @returns the secret in base32 and its `otpauth://` address: show them to the user only, once.
   * @throws UserNotFoundError, EncryptionRequiredError; NotAuthorizedError for a guest, whom `sessionsProvider.upgrade` makes a user
   * first.
   */
  async beginEnrollment(userId: string): Promise<{ secret: string; uri: string }> {
    const { keys, user } = await this.ownerOf(userId);
    const secret = newTotpSecret();
    const sealed = seal(keys, 'totp', user.id, secret);
    const outcome = await this.enrollments.savePending(user.id, sealed);
    if (outcome === 'no_user') throw new UserNotFoundError();
    if (outcome === 'guest') throw new NotAuthorizedError();
    return { secret, uri: totpUri(secret, this.tools.mailer.appName, user.email ?? user.id) };
  }

  /**
   * Confirms the pending secret with a first code; it replaces an earlier one. Revokes every session of the user; with a
   * context that has `startSession` and `sessionToken`, a new session replaces that one.
   * @returns ten recovery codes, shown only once; earlier ones become invalid.
   * @throws CodeInvalidError; CodeNotFoundError if no enrollment was begun; MaxAttemptsError after five wrong codes in 15
   * minutes; UserNotFoundError, InvalidRequestError, EncryptionRequiredError; NotAuthorizedError for a guest; TokenInvalidError if
   * all sessions of the user have ended since that of the request was checked (`context.sessionEpoch`).
   */
  async confirmEnrollment(
    userId: string,
    code: string,
    context: RequestContext = {},
  ): Promise<NewRecoveryCodes> {
    const { sessionEpoch } = optional(context);
    const keys = this.keys();
    const user = await existingMember(this.tools.storage, userId);
    const digits = parseCode(code);
    const pendingSecret = (await this.enrollments.find(user.id))?.pendingSecret ?? null;
    if (pendingSecret === null) throw new CodeNotFoundError();
    const recoveryCodes = newRecoveryCodes();
    const guess = await this.guesses.make('totp-confirm', user.id, async () => {
      const secret = this.guesses.open(keys, user.id, pendingSecret);
      const step = secret && totpStepOf(secret.text, digits, this.tools.clock());
      if (step === null) return false;
      const confirmed = await this.enrollments.confirm({
        userId: user.id,
        epoch: sessionEpoch,
        pendingSecret,
        step,
        recoveryCodeHashes: recoveryCodes.map((each) => recoveryCodeHashes(keys, user.id, each)[0]),
        now: new Date(this.tools.clock()),
      });
      if (!confirmed) throw await this.refusal(user.id, sessionEpoch);
      return true;
    });
    if (!guess.right) throw new CodeInvalidError(guess.remaining);
    await this.guesses.forget(user.id);
    this.report('totp.enabled', user.id);
    return { recoveryCodes, ...(await this.tools.sessions.restart(user.id, optional(context), true)) };
  }

  /**
   * Returns whether this is a current code, within one step of 30 seconds, that was not accepted before. False if nothing is
   * enrolled.
   * @throws MaxAttemptsError after five failures in 15 minutes, recovery codes included; UserNotFoundError,
   * InvalidRequestError, EncryptionRequiredError.
   */
  async verify(userId: string, code: string): Promise<boolean> {
    const { keys, user } = await this.ownerOf(userId);
    const digits = parseCode(code);
    return user.totpEnabled && (await this.guesses.code(keys, user, digits)).right;
  }

  /** Like `verify`, with a recovery code, which it consumes. */
  async verifyRecoveryCode(userId: string, code: string): Promise<boolean> {
    const { keys, user } = await this.ownerOf(userId);
    const text = parseCode(code);
    return user.totpEnabled && (await this.tryRecoveryCode(keys, user, text)).right;
  }

  /** @throws UserNotFoundError, EncryptionRequiredError. */
  async isEnabled(userId: string): Promise<boolean> {
    return (await this.ownerOf(userId)).user.totpEnabled;
  }

  /** Whether a second factor is enabled, and how many recovery codes are left. @throws UserNotFoundError, EncryptionRequiredError. */
  async state(
    userId: string,
    context?: RequestContext,
  ): Promise<{ enabled: boolean; recoveryCodesLeft: number }> {
    const { user } = await this.ownerOf(userId, context);
    const recoveryCodesLeft = await this.enrollments.countRecoveryCodes(user.id);
    return { enabled: user.totpEnabled, recoveryCodesLeft };
  }

  /** Returns how many of the ten are left. @throws UserNotFoundError, EncryptionRequiredError. */
  async countRecoveryCodes(userId: string): Promise<number> {
    return (await this.state(userId)).recoveryCodesLeft;
  }

  /**
   * Returns ten new recovery codes, which replace all others. Revokes every session of the user.
   * @param context with `startSession`, resolves the codes and the session that continues, as `confirmEnrollment`.
   * @throws as `confirmEnrollment`; CodeNotFoundError if nothing is enrolled.
   */
  async regenerateRecoveryCodes(userId: string, context: StartingContext): Promise<NewRecoveryCodes>;
  async regenerateRecoveryCodes(userId: string, context?: RequestContext): Promise<string[]>;
  async regenerateRecoveryCodes(userId: string, context: RequestContext = {}) {
    const { sessionEpoch, startSession } = optional(context);
    const { keys, user } = await this.ownerOf(userId);
    const codes = newRecoveryCodes();
    const hashes = codes.map((each) => recoveryCodeHashes(keys, user.id, each)[0]);
    const now = new Date(this.tools.clock());
    const replaced = await this.enrollments.replaceRecoveryCodes(user.id, hashes, now, sessionEpoch);
    if (!replaced) throw await this.refusal(user.id, sessionEpoch);
    this.report('totp.recovery_codes_replaced', user.id);
    if (!startSession) return codes;
    return { recoveryCodes: codes, ...(await this.tools.sessions.restart(user.id, context, false)) };
  }

  /**
   * Removes the second factor, its recovery codes, and a begun enrollment. Revokes every session of the user if one was enabled.
   * @param context as for `regenerateRecoveryCodes`; with `actor`, an administrator removes it, and `sessionEpoch` is the administrator's.
   * @throws UserNotFoundError, EncryptionRequiredError; TokenInvalidError.
   */
  async disable(userId: string, context: StartingContext): Promise<{ session?: IssuedSession }>;
  async disable(userId: string, context?: RequestContext | AdministrativeChange): Promise<void>;
  async disable(
    userId: string,
    given: RequestContext | AdministrativeChange = {},
  ): Promise<{ session?: IssuedSession } | void> {
    const author = parseAdministrative(given);
    const context = author ? {} : optional<RequestContext>(given);
    const { sessionEpoch, startSession } = context;
    const { user } = await this.ownerOf(userId);
    const now = new Date(this.tools.clock());
    const wasEnabled = await this.enrollments.disable(user.id, now, sessionEpoch, author?.acting);
    if (!wasEnabled && (await this.hasMoved(user.id, sessionEpoch))) throw new TokenInvalidError();
    await this.guesses.forget(user.id);
    if (wasEnabled) this.report('totp.disabled', user.id, author?.actor);
    if (!startSession) return undefined;
    return wasEnabled ? this.tools.sessions.restart(user.id, context, false) : {};
  }

  /**
   * Completes a sign-in that returned `pending` instead of a session. Works once per token.
   * @throws TokenInvalidError if the token is malformed, older than five minutes, already used, or from before a revocation;
   * CodeInvalidError, MaxAttemptsError, InvalidRequestError, EncryptionRequiredError.
   */
  async finishSignIn(input: SecondFactorInput, context: RequestContext = {}): Promise<SignInResult> {
    const { secondFactor, signIn } = this.tools;
    input = parseInput(secondFactorInput, input);
    context = optional(context);
    const keys = this.keys();
    const { user, method, remember, use } = await secondFactor.open(input.token);
    const isCode = input.recoveryCode === undefined;
    const methods = `${method}+${isCode ? 'totp' : 'recovery_code'}`;
    const text = parseCode(isCode ? input.code : input.recoveryCode);
    const failed = (error: ServiceError) => signIn.failed(methods, user.id, error, context);
    const guess = await (
      isCode ? this.guesses.code(keys, user, text) : this.tryRecoveryCode(keys, user, text)
    ).catch((error: ServiceError) => Promise.reject(failed(error)));
    if (!guess.right) throw failed(new CodeInvalidError(guess.remaining));
    if (!(await use())) throw failed(new TokenInvalidError());
    // Either step can ask the browser to forget the session.
    const isRemembered = remember && context.remember !== false;
    return signIn.completeTwoFactors(methods, user, { ...context, remember: isRemembered });
  }

  /** Returns the error for a change that the storage refused. */
  private async refusal(userId: string, sessionEpoch: number | undefined): Promise<ServiceError> {
    const hasMoved = await this.hasMoved(userId, sessionEpoch);
    return hasMoved ? new TokenInvalidError() : new CodeNotFoundError();
  }

  /** Returns whether all sessions of the user have ended since that of the request was checked. */
  private async hasMoved(userId: string, sessionEpoch: number | undefined): Promise<boolean> {
    if (sessionEpoch === undefined) return false;
    return (await this.tools.storage.users.findById(userId))?.epoch !== sessionEpoch;
  }

  private async tryRecoveryCode(keys: Keyring, user: StoredUser, code: string): Promise<Guess> {
    const guess = await this.guesses.recoveryCode(keys, user, code);
    if (guess.right) this.report('totp.recovery_code_used', user.id);
    return guess;
  }

  private report(
    event: 'totp.enabled' | 'totp.disabled' | 'totp.recovery_codes_replaced' | 'totp.recovery_code_used',
    userId: string,
    actor?: EventActor,
  ): void {
    // The event of an administrative change is logged with its actor.
    if (!actor) this.tools.logger.info({ event, userId }, 'a second factor changed');
    this.tools.events.emit(event, { userId, ...(actor && { actor }) });
  }

  private async ownerOf(
    userId: unknown,
    context?: RequestContext,
  ): Promise<{ keys: Keyring; user: StoredUser }> {
    const keys = this.keys();
    return { keys, user: await existingUser(this.tools.storage.users, userId, context) };
  }

  private keys(): Keyring {
    if (!this.tools.encryptionKeys) throw new EncryptionRequiredError();
    return this.tools.encryptionKeys;
  }
}
