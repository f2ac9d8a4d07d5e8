/** Mails users a notice of every change of a credential, and of sign-ins from devices that the account has not used (docs/decisions/notices.md). */
import { phoneProvider } from '../../domain/identity.js';
import type { StoredUser } from '../../domain/user.js';
import { RateLimitError } from '../../errors/catalog.js';
import type { UserRepository } from '../../storage/repositories.js';
import type { KnownDevices } from '../limits/known-devices.js';
import type { Limiter } from '../limits/limiter.js';
import { day } from '../limits/rate-limits.js';
import type { BackgroundWork } from '../queues/background-work.js';
import type { RequestContext } from '../sessions/request-context.js';
import type { Logger } from '../support/logger.js';
import type { NoticesOptions } from './notice-options.js';
import type { Notices } from './notices.js';
import type { AccountChange } from './senders/email-sender.js';

interface Tools {
  background: BackgroundWork;
  knownDevices: KnownDevices;
  limiter: Limiter;
  logger: Logger;
  notices: Notices;
  users: Pick<UserRepository, 'findById'>;
}

/**
 * Mails about one kind of change of one account in a day. Each kind is counted on its own: an attacker who repeats one change must not
 * use up the notices of the next.
 */
const mailsPerDay = 10;

/** The names of providers whose spelling is not that of a word. */
const providerNames: Readonly<Record<string, string>> = { github: 'GitHub', gitlab: 'GitLab' };

export class AccountNotices {
  constructor(
    /** Undefined without the option `notices`. */
    private readonly options: NoticesOptions | undefined,
    private readonly tools: Tools,
  ) {}

  /** Whether changes of credentials are mailed. */
  get isOn(): boolean {
    return this.options?.credentials === true;
  }

  /**
   * In the background: the change has been made, and must neither wait for a mail nor fail because of one. Does nothing for an account
   * without a verified address: an unverified one may be that of another person.
   * @param owner the user as before the change, or the id.
   * @param context of the user's own request. Without it, an administrator or the application has made the change.
   * @param about what the change is about, such as a provider or a masked phone number.
   */
  send(
    change: Exclude<AccountChange, 'new_device'>,
    owner: StoredUser | string,
    context?: RequestContext,
    about?: string,
  ): void {
    if (this.isOn) this.mail(change, owner, context, about);
  }

  /** As `send`, for an identity that is not a phone number. */
  sendIdentity(
    change: 'identity_linked' | 'identity_unlinked',
    owner: StoredUser | string,
    provider: string,
    context?: RequestContext,
  ): void {
    if (provider === phoneProvider) return;
    const name = providerNames[provider] ?? provider.charAt(0).toUpperCase() + provider.slice(1);
    this.send(change, owner, context, name);
  }

  /**
   * Reports a sign-in that has started a session. The device is known by the signed cookie of earlier sign-ins alone, so a guess about
   * addresses or user agents decides nothing. When all sessions of the account have ended, every device is new again.
   * @param user as read before the session was started.
   */
  signedIn(user: StoredUser, context: RequestContext): void {
    if (this.options?.newDevice !== true) return;
    const { deviceToken } = context;
    const isNew = async () => !(await this.tools.knownDevices.isKnown(deviceToken, null, async () => user));
    this.mail('new_device', user, context, undefined, isNew);
  }

  private mail(
    change: AccountChange,
    owner: StoredUser | string,
    context: RequestContext | undefined,
    about: string | undefined,
    isDue = () => Promise.resolve(true),
  ): void {
    const { options, tools } = this;
    if (!options) return;
    const work = async () => {
      if (!(await isDue())) return;
      const user = typeof owner === 'string' ? await tools.users.findById(owner) : owner;
      if (!user?.emailVerified || user.email === null) return;
      if (!(await this.mayMail(change, user.id))) return;
      const { from, sender, template } = options;
      tools.notices.send(
        'account notice',
        user.email,
        { sender, ...(from !== undefined && { from }) },
        (values) => template({ ...values, change, about: about ?? null }),
        { user, ...(context && { context }) },
      );
    };
    tools.background.start('account notice', work, context?.ip);
  }

  private async mayMail(change: AccountChange, userId: string): Promise<boolean> {
    const { limiter, logger } = this.tools;
    try {
      await limiter.consume([{ name: `notice:${change}`, subject: userId, max: mailsPerDay, windowMs: day }]);
      return true;
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error;
      logger.warn(
        { event: 'notice_limited', change, userId },
        'a notice was not mailed: there were too many',
      );
      return false;
    }
  }
}
