/** Mails users a notice when a phone number is added to their account or removed from it, by whichever route. */
import { phoneProvider, type ServiceIdentity } from '../../domain/identity.js';
import { maskPhoneNumber } from '../../domain/phone-number.js';
import type { StoredUser } from '../../domain/user.js';
import type { BackgroundWork } from '../support/background-work.js';
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
   */
  send(
    { email, emailVerified }: StoredUser,
    change: 'added' | 'removed',
    { provider, providerAccountId }: ServiceIdentity,
    ip?: string,
  ): void {
    const { background, mailer, options } = this;
    if (provider !== phoneProvider || !options || email === null || !emailVerified) return;
    const values = { change, phone: maskPhoneNumber(providerAccountId), appName: mailer.appName };
    const render = () => options.template(values);
    background.start('phone notice', () => mailer.sendMail('notice', email, options, render), ip);
  }
}
