/**
 * Chooses the limits that apply to a request about an account: the general ones, or separate ones for a browser that has signed in to
 * the account before, so that a stranger's attempts never lock the owner out (docs/decisions/limits.md).
 */
import type { PhoneNumber } from '../../domain/phone-number.js';
import { isLongCode } from '../../domain/one-time-code.js';
import type { StoredUser } from '../../domain/user.js';
import type { UserRepository } from '../../storage/repositories.js';
import {
  day,
  guessLimits,
  knownDeviceGuessLimits,
  knownDeviceLoginLimits,
  knownDeviceLongGuessLimits,
  loginAddressLimits,
  loginLimits,
  longGuessLimits,
  mailedCodeLimits,
  type LoginLimits,
  type RateLimit,
} from './rate-limits.js';
import {
  knownDeviceSendLimits,
  knownDeviceSmsLimits,
  mailboxSendLimits,
  sendLimits,
  smsLimits,
  type SendLimits,
} from './send-limits.js';
import type { KnownDevices } from './known-devices.js';
import type { Limiter } from './limiter.js';
import { parseCode } from '../support/input.js';
import { describeError, type Logger } from '../support/logger.js';

/** The client of a request. */
interface Caller {
  ip?: string;
  deviceToken?: string;
}

/** A phone number that a code is sent to, and a way to read its user. */
interface Recipient {
  number: PhoneNumber;
  find: () => Promise<StoredUser | null>;
}

export class AccountLimits {
  constructor(
    private readonly limiter: Limiter,
    private readonly devices: KnownDevices,
    private readonly users: UserRepository,
    private readonly limits: { send: SendLimits; login: LoginLimits | false },
    private readonly logger: Logger,
  ) {}

  /** Returns the limits of a mail to this address. */
  async forMail(purpose: string, address: string, caller: Caller): Promise<RateLimit[]> {
    return (await this.isOwner(address, caller))
      ? knownDeviceSendLimits(this.limits.send, purpose, address)
      : sendLimits(this.limits.send, purpose, address, caller.ip);
  }

  /** Returns the limits of a text message to this number. */
  async forSms({ number, find }: Recipient, maxPerCountry: number, caller: Caller): Promise<RateLimit[]> {
    return (await this.isOwnerOfNumber({ number, find }, caller))
      ? knownDeviceSmsLimits(this.limits.send, number, maxPerCountry, caller.ip)
      : smsLimits(this.limits.send, number, maxPerCountry, caller.ip);
  }

  /** Returns whether the browser has signed in to the account of this number before. */
  isOwnerOfNumber({ find }: Recipient, caller: Caller): Promise<boolean> {
    return this.devices.isKnown(caller.deviceToken, null, find);
  }

  /**
   * Returns the limits of a guess at a code that was mailed to this address. @throws InvalidRequestError if the code is malformed.
   */
  async forMailedCode(purpose: string, address: string, code: string, caller: Caller): Promise<RateLimit[]> {
    const guess = parseCode(code);
    if (!(await this.isOwner(address, caller))) return mailedCodeLimits(purpose, address, guess, caller.ip);
    const limitsOf = isLongCode(guess) ? knownDeviceLongGuessLimits : knownDeviceGuessLimits;
    return limitsOf(purpose, address);
  }

  /**
   * Returns whether the next code that is mailed to this address must be a long one, because the wrong guesses that a day allows are used
   * up, and gives the client its tries at it. Does not depend on whether the address has an account.
   */
  async needsLongCode(purpose: string, address: string, caller: Caller): Promise<boolean> {
    const isKnown = await this.isOwner(address, caller);
    const limitsOf = isKnown ? knownDeviceGuessLimits : guessLimits;
    const ofDay = limitsOf(purpose, address).filter(({ windowMs }) => windowMs === day);
    if (!(await this.limiter.isUsedUp(ofDay))) return false;
    await this.limiter.reset(longTries(purpose, address, caller.ip));
    return true;
  }

  /** Returns the limits of a guess at a code that was sent to this number. */
  async forSmsCode(purpose: string, { number, find }: Recipient, caller: Caller): Promise<RateLimit[]> {
    return (await this.devices.isKnown(caller.deviceToken, null, find))
      ? knownDeviceGuessLimits(purpose, number.e164)
      : guessLimits(purpose, number.e164, caller.ip);
  }

  /**
   * Returns the limits of a password guess, and whether the browser is a known device.
   * @param subject the address of the account, or what else the limits count for.
   * @param owner the user, if the caller has read it. By default, the user with this address.
   */
  async forLogin(
    subject: string,
    caller: Caller,
    owner?: { user: StoredUser | null },
  ): Promise<{ rateLimits: RateLimit[]; isKnownDevice: boolean }> {
    const find = async () => (owner ? owner.user : this.users.findByEmail(subject));
    const isKnownDevice = await this.devices.isKnown(caller.deviceToken, owner ? null : subject, find);
    const limitsOf = isKnownDevice ? knownDeviceLoginLimits : loginLimits;
    return { rateLimits: limitsOf(this.limits.login, subject, caller.ip), isKnownDevice };
  }

  /** Returns whether a login was just refused because the wrong passwords of a day are used up. @param owner as for `forLogin`. */
  async hasRefusedLogin(
    subject: string,
    caller: Caller,
    owner?: { user: StoredUser | null },
  ): Promise<boolean> {
    const { rateLimits } = await this.forLogin(subject, caller, owner);
    return this.limiter.hasRefused(rateLimits.filter(({ name }) => loginAddressLimits.includes(name)));
  }

  /** Returns the limits that a proof of the mailbox resets: guesses at its account, and mails to it. */
  ofProvenMailbox(address: string, { ip }: Caller): RateLimit[] {
    return mailboxLimits(this.limits, address, ip);
  }

  /**
   * Resets the limits of guesses at the account and of mails to its mailbox, which has just been proven. A failure is logged and not
   * thrown: the proof is valid without it.
   */
  async reset(address: string, { ip }: Caller): Promise<void> {
    try {
      // Of the limits that are reset with one of these, the subjects are not known.
      this.limiter.forgetRefusals();
      await this.limiter.reset(this.ofProvenMailbox(address, { ip }));
    } catch (error) {
      this.logger.warn({ err: describeError(error) }, 'the limits of an account could not be reset');
    }
  }

  /** Returns whether the browser has signed in to the account of this address before, and the address is verified. */
  // A sign-up makes the browser a known device of the account. Until the mailbox is proven, that browser may be a stranger's.
  isOwner(address: string, { deviceToken }: Caller): Promise<boolean> {
    return this.devices.isKnown(deviceToken, address, async () => {
      const user = await this.users.findByEmail(address);
      return user?.emailVerified ? user : null;
    });
  }
}

/** Returns the limits of the tries that a client and known devices have at long codes. */
function longTries(purpose: string, address: string, ip?: string): RateLimit[] {
  const ofClient = longGuessLimits(purpose, address, ip).filter(({ isCaller }) => !isCaller);
  return [...ofClient, ...knownDeviceLongGuessLimits(purpose, address)];
}

function mailboxLimits(
  limits: { send: SendLimits; login: LoginLimits | false },
  address: string,
  ip?: string,
): RateLimit[] {
  const ofMailbox = mailboxSendLimits(limits.send, ['email_code', 'magic_link', 'password_reset'], address);
  for (const purpose of ['email_code', 'password_reset'])
    ofMailbox.push(
      ...guessLimits(purpose, address),
      ...knownDeviceGuessLimits(purpose, address),
      ...longTries(purpose, address, ip),
    );
  const ofStrangers = loginLimits(limits.login, address, ip).filter(({ isCaller }) => !isCaller);
  return [...ofMailbox, ...ofStrangers, ...knownDeviceLoginLimits(limits.login, address, ip)];
}
