/** Mails users a notice when a phone number is added to their account or removed from it, by whichever route. */
import { phoneProvider, type ServiceIdentity } from '../../domain/identity.js';
import { maskPhoneNumber } from '../../domain/phone-number.js';
import type { StoredUser } from '../../domain/user.js';
import type { BackgroundWork } from '../queues/background-work.js';
import type { RequestContext } from '../sessions/request-context.js';
import type { Render } from './languages.js';
import type { Mailer, MailOptions } from './mailer.js';
import type { PhoneNoticeTemplate } from './senders/email-sender.js';

type NoticeOptions = MailOptions & { template: PhoneNoticeTemplate };

export class PhoneNotices {
  constructor(
    /** Undefined without `phoneOtp.notices`. */
    private readonly options: NoticeOptions | undefined,
    private readonly mailer: Mailer,
    private readonly background: BackgroundWork,
  ) {}

  /**
   * In the background: the change has been made. Does nothing for other identities, without `phoneOtp.notices`, and without a verified
   * address, because an unverified one may be that of another person.
   * @param context of the user's own request.
   */
  send(
    user: StoredUser,
    change: 'added' | 'removed',
    { provider, providerAccountId }: ServiceIdentity,
    context: RequestContext | undefined,
  ): void {
    const { background, mailer, options } = this;
    const { email, emailVerified } = user;
    if (provider !== phoneProvider || !options || email === null || !emailVerified) return;
    const details = { change, phone: maskPhoneNumber(providerAccountId) };
    const render: Render = (values) => options.template({ ...values, ...details });
    const reader = { user, ...(context && { context }) };
    background.start(
      'phone notice',
      () => mailer.sendMail('notice', email, options, render, reader),
      context?.ip,
    );
  }
}
