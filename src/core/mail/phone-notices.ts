/** Mails users a notice when an identity or a phone number is added to their account or removed from it, by whichever route. */
import { phoneProvider, type ServiceIdentity } from '../../domain/identity.js';
import { maskPhoneNumber } from '../../domain/phone-number.js';
import type { StoredUser } from '../../domain/user.js';
import type { RequestContext } from '../sessions/request-context.js';
import type { AccountNotices } from './account-notices.js';
import type { MailOptions } from './mailer.js';
import type { Notices } from './notices.js';
import type { EventTemplate, PhoneNoticeTemplate } from './senders/email-sender.js';

type NoticeOptions = MailOptions & { template: PhoneNoticeTemplate };

export class PhoneNotices {
  constructor(
    /** Undefined without `phoneOtp.notices`. */
    private readonly options: NoticeOptions | undefined,
    private readonly notices: Notices,
    private readonly accountNotices: AccountNotices,
  ) {}

  /**
   * In the background: the change has been made. Does nothing without a verified address, because an unverified one may be that of
   * another person. The notice of a phone number is that of `phoneOtp.notices` if it is configured.
   * @param context of the user's own request.
   */
  send(
    user: StoredUser,
    change: 'added' | 'removed',
    { provider, providerAccountId }: ServiceIdentity,
    context: RequestContext | undefined,
  ): void {
    const { accountNotices, options } = this;
    const { email, emailVerified } = user;
    if (provider !== phoneProvider) {
      const event = change === 'added' ? 'identity_linked' : 'identity_unlinked';
      return accountNotices.sendIdentity(event, user, provider, context);
    }
    const masked = maskPhoneNumber(providerAccountId);
    if (!options) return accountNotices.send(`phone_${change}`, user, context, masked);
    if (email === null || !emailVerified) return;
    const details = { change, phone: masked };
    const template: EventTemplate = (values) => options.template({ ...values, ...details });
    this.notices.send('phone notice', email, options, template, { user, ...(context && { context }) });
  }
}
