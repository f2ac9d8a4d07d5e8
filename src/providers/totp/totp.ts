/**
 * A second factor by an authenticator app, with recovery codes (specification 4.3, `totp`; docs/decisions/second-factor.md).
 * If it is enabled, no sign-in over HTTP gets a session without it (core/sessions/sign-in.ts).
 */
import type * as z from 'zod';
import type { Keyring } from '../../crypto/keys.js';
import { contextAfter } from '../../core/sessions/second-factor.js';
import { seal } from '../../crypto/secret-box.js';
import { newTotpSecret, totpUri } from '../../crypto/totp-code.js';
import { fewRecoveryCodes } from '../../domain/second-factor.js';
import type { StoredUser } from '../../domain/user.js';
import {
  CodeInvalidError,
  NotAuthorizedError,
  TokenInvalidError,
  UserNotFoundError,
} from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { ServiceError } from '../../errors/service-error.js';
import { capability } from '../../core/support/capability.js';
import { parseAdministrative, type AdministrativeChange } from '../../core/sessions/change-by.js';
import { existingMember } from '../../core/sessions/existing-user.js';
import { secondStep } from '../../core/sessions/sign-in-attempts.js';
import { parseCode, parseInput } from '../../core/support/input.js';
import type { IssuedSession } from '../../core/sessions/sessions.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { TotpRepository } from '../../storage/second-factor-repositories.js';
import { TotpApps } from './apps.js';
import { Guesses, type RecoveryGuess } from './guesses.js';
import { secondFactorInput, toPublicApp } from './inputs.js';
import type {
  AddedTotpApp,
  appInput,
  newAppInput,
  renamedAppInput,
  NewRecoveryCodes,
  PublicTotpApp,
  SecondFactorInput,
  SecondFactorResult,
  StartingContext,
} from './inputs.js';
import { TotpNotices } from './notices.js';
import type { TotpOptions, TotpTools } from './options.js';
import { TotpOwner } from './owner.js';
import { newRecoveryCodes, recoveryCodeHashes } from '../../crypto/recovery-codes.js';

export class TotpProvider {
  private readonly enrollments: TotpRepository;
  private readonly apps: TotpApps;
  private readonly guesses: Guesses;
  private readonly notices: TotpNotices;
  private readonly owner: TotpOwner;

  constructor(
    options: TotpOptions,
    private readonly tools: TotpTools,
  ) {
    this.enrollments = capability(tools.storage, 'totp');
    this.guesses = new Guesses(this.enrollments, tools);
    this.notices = new TotpNotices(options, tools.notices);
    this.owner = new TotpOwner(tools);
    this.apps = new TotpApps(this.enrollments, this.guesses, this.owner, tools);
  }

  /**
   * Creates a secret, to be scanned and then confirmed. Until then nothing changes: an enrolled app remains valid.
   * @returns the secret in base32 and its `otpauth://` address: show them to the user only, once.
   * @throws UserNotFoundError, EncryptionRequiredError; NotAuthorizedError for a guest, who must be upgraded first.
   */
  async beginEnrollment(
    userId: string,
    context: RequestContext = {},
  ): Promise<{ secret: string; uri: string }> {
    const { keys, user } = await this.owner.findInPerson(userId, context);
    const secret = newTotpSecret();
    const sealed = seal(keys, 'totp', user.id, secret);
    const outcome = await this.enrollments.savePending(user.id, sealed);
    if (outcome === 'no_user') throw new UserNotFoundError();
    if (outcome === 'guest') throw new NotAuthorizedError(because('guest'));
    return { secret, uri: totpUri(secret, this.tools.mailer.appName, user.email ?? user.id) };
  }

  /**
   * Confirms the pending secret with a first code; it replaces every other app. Revokes every session of the user; with a
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
    this.owner.keys();
    const user = await existingMember(this.tools.storage, userId);
    return this.apps.confirmOnly(user, parseCode(code), parseContext(context), {});
  }

  /**
   * Confirms the pending secret with a first code, as an app besides those that the user has: the first app enables the second factor.
   * Revokes every session of the user, as `confirmEnrollment`. A user can have three apps.
   * @returns the app, and recovery codes if it is the first one. @throws as `confirmEnrollment`; InvalidRequestError with the reason `too_many_apps`.
   */
  async addApp(
    input: z.infer<ReturnType<typeof newAppInput>>,
    context: RequestContext = {},
  ): Promise<AddedTotpApp> {
    return this.apps.addApp(input, parseContext(context));
  }

  /** Returns the authenticator apps of a user, without their secrets. @throws UserNotFoundError, EncryptionRequiredError. */
  async listApps(userId: string, context?: RequestContext): Promise<PublicTotpApp[]> {
    const { user } = await this.owner.find(userId, context);
    return (await this.enrollments.listApps(user.id)).map(toPublicApp);
  }

  /** @throws UserNotFoundError, EncryptionRequiredError; InvalidRequestError for an invalid name, and if the user has no such app. */
  async renameApp(
    input: z.infer<ReturnType<typeof renamedAppInput>>,
    context: RequestContext = {},
  ): Promise<void> {
    return this.apps.renameApp(input, parseContext(context));
  }

  /**
   * Removes an authenticator app, and with the last one the second factor and its recovery codes, as `disable`. Revokes every session of
   * the user, as `confirmEnrollment`.
   * @throws UserNotFoundError, EncryptionRequiredError, TokenInvalidError; InvalidRequestError if the user has no such app.
   */
  async removeApp(
    input: z.infer<ReturnType<typeof appInput>>,
    context: RequestContext = {},
  ): Promise<{ session?: IssuedSession }> {
    return this.apps.removeApp(input, parseContext(context));
  }

  /**
   * Returns whether this is a current code, within one step of 30 seconds, that was not accepted before. False if none is enrolled.
   * @throws MaxAttemptsError after five failures in 15 minutes, recovery codes included; UserNotFoundError, InvalidRequestError, EncryptionRequiredError.
   */
  async verify(userId: string, code: string): Promise<boolean> {
    const { keys, user } = await this.owner.find(userId);
    const digits = parseCode(code);
    return user.totpEnabled && (await this.guesses.code(keys, user, digits)).right;
  }

  /** Like `verify`, with a recovery code, which it consumes. */
  async verifyRecoveryCode(userId: string, code: string): Promise<boolean> {
    const { keys, user } = await this.owner.find(userId);
    const text = parseCode(code);
    return user.totpEnabled && (await this.tryRecoveryCode(keys, user, text)).right;
  }

  /** @throws UserNotFoundError, EncryptionRequiredError. */
  async isEnabled(userId: string): Promise<boolean> {
    return (await this.owner.find(userId)).user.totpEnabled;
  }

  /** Whether a second factor is enabled, and how many recovery codes are left. @throws UserNotFoundError, EncryptionRequiredError. */
  async state(
    userId: string,
    context?: RequestContext,
  ): Promise<{ enabled: boolean; recoveryCodesLeft: number }> {
    const { user } = await this.owner.find(userId, context);
    const recoveryCodesLeft = await this.enrollments.countRecoveryCodes(user.id);
    return { enabled: user.totpEnabled, recoveryCodesLeft };
  }

  /** Returns how many of the ten are left. @throws UserNotFoundError, EncryptionRequiredError. */
  async countRecoveryCodes(userId: string): Promise<number> {
    return (await this.state(userId)).recoveryCodesLeft;
  }

  /**
   * Returns ten new recovery codes, which replace all others. Revokes every session of the user. @param context with `startSession`, resolves the codes and the session that continues, as `confirmEnrollment`.
   * @throws as `confirmEnrollment`; CodeNotFoundError if nothing is enrolled.
   */
  async regenerateRecoveryCodes(userId: string, context: StartingContext): Promise<NewRecoveryCodes>;
  async regenerateRecoveryCodes(userId: string, context?: RequestContext): Promise<string[]>;
  async regenerateRecoveryCodes(userId: string, context: RequestContext = {}) {
    const { sessionEpoch, startSession } = parseContext(context);
    const { keys, user } = await this.owner.findInPerson(userId, context);
    const codes = newRecoveryCodes();
    const hashes = codes.map((each) => recoveryCodeHashes(keys, user.id, each)[0]);
    const now = new Date(this.tools.clock());
    const replaced = await this.tools.changes.commit(
      () => this.enrollments.replaceRecoveryCodes(user.id, hashes, now, sessionEpoch),
      (isChanged) => (isChanged ? [['totp.recovery_codes_replaced', { userId: user.id }]] : []),
    );
    if (!replaced) throw await this.owner.refusal(user.id, sessionEpoch);
    this.owner.log('totp.recovery_codes_replaced', user.id);
    this.owner.notify('recovery_codes_replaced', user, context);
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
    const context = author ? {} : parseContext(given);
    const { sessionEpoch, startSession } = context;
    const { user } = await this.owner.findInPerson(userId, context);
    const now = new Date(this.tools.clock());
    const by = author && { actor: author.actor };
    const wasEnabled = await this.tools.changes.commit(
      () => this.enrollments.disable(user.id, now, sessionEpoch, author?.acting),
      (isChanged) => (isChanged ? [['totp.disabled', { userId: user.id, ...by }]] : []),
    );
    if (!wasEnabled && (await this.owner.hasMoved(user.id, sessionEpoch)))
      throw new TokenInvalidError(because('epoch_passed'));
    await this.guesses.forget(user.id);
    if (wasEnabled && !author) this.owner.log('totp.disabled', user.id);
    if (wasEnabled) this.owner.notify('totp_disabled', user, author ? undefined : context);
    if (!startSession) return undefined;
    return wasEnabled ? this.tools.sessions.restart(user.id, context, false) : {};
  }

  /**
   * Completes a sign-in that returned `pending` instead of a session. Works once per token.
   * @throws TokenInvalidError if the token is malformed, older than five minutes, already used, or from before a revocation;
   * CodeInvalidError, MaxAttemptsError, InvalidRequestError, EncryptionRequiredError.
   */
  async finishSignIn(input: SecondFactorInput, context: RequestContext = {}): Promise<SecondFactorResult> {
    const parsed = parseInput(secondFactorInput, input);
    context = parseContext(context);
    return this.tools.signIn.attempts.run(secondStep(context), () => this.finishWith(parsed, context));
  }

  private async finishWith(input: SecondFactorInput, context: RequestContext): Promise<SecondFactorResult> {
    const { secondFactor, signIn } = this.tools;
    const keys = this.owner.keys();
    const first = await secondFactor.open(input.token);
    const { user, method, use } = first;
    const isCode = input.recoveryCode === undefined;
    const methods = `${method}+${isCode ? 'totp' : 'recovery_code'}`;
    const text = parseCode(isCode ? input.code : input.recoveryCode);
    const attempt = { method: methods, userId: user.id, context };
    const failed = (error: ServiceError) => signIn.failed(attempt, error);
    const guess: RecoveryGuess = await (
      isCode ? this.guesses.code(keys, user, text) : this.tryRecoveryCode(keys, user, text, context)
    ).catch((error: ServiceError) => Promise.reject(failed(error)));
    if (!guess.right) throw failed(new CodeInvalidError(guess.remaining));
    if (!(await use())) throw failed(new TokenInvalidError(because('proof_used')));
    const result = await signIn.completeTwoFactors(methods, user, contextAfter(first, context));
    return guess.left === undefined ? result : { ...result, recoveryCodesLeft: guess.left };
  }

  private async tryRecoveryCode(keys: Keyring, user: StoredUser, code: string, context: RequestContext = {}) {
    const guess: RecoveryGuess = await this.guesses.recoveryCode(keys, user, code);
    if (guess.right) {
      this.owner.log('totp.recovery_code_used', user.id);
      if (guess.left === fewRecoveryCodes) this.notices.sendRecoveryCodesLow(user, context);
    }
    return guess;
  }
}
