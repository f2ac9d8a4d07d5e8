/** Mails the notice to a user who is running out of recovery codes. */
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { StoredUser } from '../../domain/user.js';
import type { TotpOptions, TotpTools } from './options.js';

export class TotpNotices {
  constructor(
    private readonly options: TotpOptions,
    private readonly notices: TotpTools['notices'],
  ) {}

  /**
   * In the background: a sign-in must not fail because of it. Does nothing without a sender, or without a verified address: an unverified
   * one may be that of another person.
   */
  sendRecoveryCodesLow(user: StoredUser, context: RequestContext): void {
    const { sender, from, recoveryCodesTemplate: template } = this.options;
    const { email, emailVerified } = user;
    if (!sender || email === null || !emailVerified) return;
    this.notices.send('recovery code notice', email, { sender, from }, template, { user, context });
  }
}
