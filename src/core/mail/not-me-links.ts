/**
 * The link “This wasn't me” of a notice: ends everything that is signed in to the account, once, and starts a password reset
 * (docs/decisions/notices.md). The link is signed and is stored only when it is used, so no change that an attacker makes voids it.
 */
import type { Keyring } from '../../crypto/keys.js';
import { openToken, signToken } from '../../crypto/signed-token.js';
import { maskEmailAddress } from '../../domain/email-address.js';
import { anybody } from '../../domain/single-use-token.js';
import { isInForce } from '../../domain/user-block.js';
import type { StoredUser } from '../../domain/user.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { RequestContext } from '../sessions/request-context.js';
import type { Clock } from '../support/clock.js';
import type { EventBus } from '../support/events.js';
import { withToken } from '../support/link-targets.js';
import type { Logger } from '../support/logger.js';

const purpose = 'not_me';
const ttlMs = 7 * 24 * 60 * 60_000;

/** Mails a password reset to the address of the user. False if none can be sent. */
export type MailReset = (user: StoredUser, email: string, context: RequestContext) => boolean;

/** What follows after a link was used. */
export type AfterNotMe =
  /** A password reset was mailed to the address of the notice. */
  | 'reset'
  /** The account has no password, or the service cannot mail a reset. */
  | 'sign_in'
  /** The account has another address by now: its owner is for the support to find out. */
  | 'address_changed';

/** What a page of the link says. Addresses are masked. */
export type NotMePage =
  | { step: 'confirm'; email: string }
  | { step: 'done'; email: string; next: AfterNotMe }
  /** The link was used, has expired or is malformed, or the account was deleted. */
  | { step: 'ended' };

interface Opened {
  digest: string;
  email: string;
  expiresAt: number;
  user: StoredUser;
}

interface Tools {
  clock: Clock;
  events: EventBus;
  keys: Keyring;
  logger: Logger;
  storage: Pick<StorageAdapter, 'sessions' | 'singleUseTokens' | 'users'>;
}

export class NotMeLinks {
  private mailReset: MailReset = () => false;

  constructor(
    /** Undefined without the option `notices`: no notice has a link. */
    private readonly baseUrl: string | undefined,
    private readonly tools: Tools,
  ) {}

  get isEnabled(): boolean {
    return this.baseUrl !== undefined;
  }

  /** Sets how resets are mailed. The provider of passwords calls it. */
  setMailReset(mailReset: MailReset): void {
    this.mailReset = mailReset;
  }

  /** Returns the link of a notice to this address. Undefined if the address is not that of the user, or is unverified. */
  urlFor({ id, email, emailVerified }: StoredUser, to: string): string | undefined {
    if (this.baseUrl === undefined || email !== to || !emailVerified) return undefined;
    const { clock, keys } = this.tools;
    return withToken(this.baseUrl, signToken(keys, purpose, `${id} ${to}`, clock() + ttlMs).token);
  }

  /**
   * Opens a link, and uses it if the user has confirmed it: of several parallel calls, one ends the sessions.
   * @param confirmed the context of the confirming request. Null leaves everything as it is.
   */
  async open(token: string, confirmed: RequestContext | null): Promise<NotMePage> {
    const opened = await this.read(token);
    if (!opened) return { step: 'ended' };
    const email = maskEmailAddress(opened.email);
    if (!confirmed) return { step: 'confirm', email };
    const next = await this.use(opened, confirmed);
    return next ? { step: 'done', email, next } : { step: 'ended' };
  }

  private async use({ digest, email, expiresAt, user }: Opened, context: RequestContext) {
    const { clock, events, logger, storage } = this.tools;
    const used = { digest, purpose, subject: anybody, expiresAt: new Date(expiresAt), metadata: {} } as const;
    const secured = await storage.sessions.revokeAllOnce(user.id, used, new Date(clock()));
    if (!secured) return null;
    const next = this.begin(secured, email, context);
    const { id: userId } = user;
    logger.warn(
      { event: 'account_secured', userId, next, ip: context.ip },
      'a user has reported a notice and ended every session',
    );
    events.emit('session.all_revoked', { userId });
    events.emit('account.secured', { userId, next });
    return next;
  }

  /** @param user as returned by the change, so that the reset is valid for the new epoch. */
  private begin(user: StoredUser, email: string, context: RequestContext): AfterNotMe {
    // A former address must never get into the account: its reader may be another person by now.
    if (user.email !== email || !user.emailVerified) return 'address_changed';
    if (user.passwordHash === null || isInForce(user.blocked, this.tools.clock())) return 'sign_in';
    return this.mailReset(user, email, context) ? 'reset' : 'sign_in';
  }

  private async read(token: string): Promise<Opened | null> {
    const { clock, keys, storage } = this.tools;
    if (!this.isEnabled) return null;
    const opened = openToken(keys, purpose, token, clock());
    if (opened.status !== 'valid') return null;
    const { digest, expiresAt, subject } = opened;
    const [userId, email] = subject.split(' ');
    if (userId === undefined || email === undefined) return null;
    const [used, user] = await Promise.all([
      storage.singleUseTokens.find(purpose, digest, new Date(clock())),
      storage.users.findById(userId),
    ]);
    return used || !user ? null : { digest, email, expiresAt, user };
  }
}
