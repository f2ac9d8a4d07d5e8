/** What every method of the authenticator app needs: its keys, the user, and the errors and reports of a change. */
import type { Keyring } from '../../crypto/keys.js';
import type { StoredUser } from '../../domain/user.js';
import { CodeNotFoundError, EncryptionRequiredError, TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { ServiceError } from '../../errors/service-error.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { EventActor } from '../../core/support/events.js';
import type { TotpTools } from './options.js';

type TotpEvent =
  'totp.enabled' | 'totp.disabled' | 'totp.recovery_codes_replaced' | 'totp.recovery_code_used';

type TotpChange =
  'totp_enabled' | 'totp_disabled' | 'totp_app_added' | 'totp_app_removed' | 'recovery_codes_replaced';

export class TotpOwner {
  constructor(private readonly tools: TotpTools) {}

  /** @throws EncryptionRequiredError */
  keys(): Keyring {
    if (!this.tools.encryptionKeys) throw new EncryptionRequiredError();
    return this.tools.encryptionKeys;
  }

  /** @throws EncryptionRequiredError, UserNotFoundError. */
  async find(userId: unknown, context?: RequestContext): Promise<{ keys: Keyring; user: StoredUser }> {
    const keys = this.keys();
    return { keys, user: await existingUser(this.tools.storage.users, userId, context) };
  }

  /** As `find`, for a change. @throws NotAuthorizedError if the request's session is an impersonation. */
  async findInPerson(userId: unknown, context: RequestContext): Promise<{ keys: Keyring; user: StoredUser }> {
    mustBeInPerson(userId, context);
    return this.find(userId);
  }

  /** Returns the error for a change that the storage refused. */
  async refusal(userId: string, sessionEpoch: number | undefined): Promise<ServiceError> {
    const hasMoved = await this.hasMoved(userId, sessionEpoch);
    return hasMoved
      ? new TokenInvalidError(because('epoch_passed'))
      : new CodeNotFoundError(because('factor_missing'));
  }

  /** Returns whether all sessions of the user have ended since that of the request was checked. */
  async hasMoved(userId: string, sessionEpoch: number | undefined): Promise<boolean> {
    if (sessionEpoch === undefined) return false;
    return (await this.tools.storage.users.findById(userId))?.epoch !== sessionEpoch;
  }

  /** Mails the user a notice of a change of the second factor. */
  notify(change: TotpChange, user: StoredUser, context?: RequestContext): void {
    this.tools.accountNotices.send(change, user, context);
  }

  report(event: TotpEvent, userId: string, actor?: EventActor): void {
    // The event of an administrative change is logged with its actor.
    if (!actor) this.log(event, userId);
    this.tools.events.emit(event, { userId, ...(actor && { actor }) });
  }

  reportApp(event: 'totp.app_added' | 'totp.app_removed', userId: string, appId: string): void {
    this.log(event, userId);
    this.tools.events.emit(event, { userId, appId });
  }

  private log(event: string, userId: string): void {
    this.tools.logger.info({ event, userId }, 'a second factor changed');
  }
}
