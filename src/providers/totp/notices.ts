/** Mails the notice to a user who is running out of recovery codes. */
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { StoredUser } from '../../domain/user.js';
import type { TotpOptions, TotpTools } from './options.js';

export class TotpNotices {
  constructor(
    private readonly options: TotpOptions,
    private readonly tools: Pick<TotpTools, 'background' | 'mailer'>,
  ) {}

  /**
   * In the background: a sign-in must not fail because of it. Does nothing without a sender, or without a verified address: an unverified
   * one may be that of another person.
   */
  sendRecoveryCodesLow(user: StoredUser, context: RequestContext): void {
    const { sender, from, recoveryCodesTemplate: template } = this.options;
    const { background, mailer } = this.tools;
    const { email, emailVerified } = user;
    if (!sender || email === null || !emailVerified) return;
    background.start('recovery code notice', () =>
      mailer.sendMail('notice', email, { sender, from }, template, { user, context }),
    );
  }
}
