/**
 * Which limits count for an account: those of everybody, or, for a browser that has signed in to it before, its own, so that
 * a stranger's tries never lock the owner out (docs/decisions/limits.md).
 */
import type { PhoneNumber } from '../domain/phone-number.js';
import type { StoredUser } from '../domain/user.js';
import type { UserRepository } from '../storage/repositories.js';
import {
  guessBudgets,
  knownDeviceGuessBudgets,
  knownDeviceLoginBudgets,
  loginBudgets,
  type LoginLimits,
} from './budgets.js';
import {
  knownDeviceSendBudgets,
  knownDeviceTextBudgets,
  sendBudgets,
  textBudgets,
  type SendLimits,
} from './send-budgets.js';
import type { KnownDevices } from './known-devices.js';
import type { Budget, Limiter } from './limiter.js';
import { describeError, type Logger } from './logger.js';

/** What a request says about its client. */
interface Caller {
  ip?: string;
  deviceToken?: string;
}

/** An identity that a code is sent to, and how to read its user. */
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

  /** Returns the budgets of a mail to this address. */
  async send(purpose: string, address: string, caller: Caller): Promise<Budget[]> {
    return (await this.isOwner(address, caller))
      ? knownDeviceSendBudgets(this.limits.send, purpose, address)
      : sendBudgets(this.limits.send, purpose, address, caller.ip);
  }

  /** Returns the budgets of a text message to this number. */
  async text({ number, find }: Recipient, maxPerCountry: number, caller: Caller): Promise<Budget[]> {
    return (await this.devices.isKnown(caller.deviceToken, null, find))
      ? knownDeviceTextBudgets(this.limits.send, number, maxPerCountry, caller.ip)
      : textBudgets(this.limits.send, number, maxPerCountry, caller.ip);
  }

  /** Returns the budgets of a guess at a code that was mailed to this address. */
  async guessByMail(purpose: string, address: string, caller: Caller): Promise<Budget[]> {
    return (await this.isOwner(address, caller))
      ? knownDeviceGuessBudgets(purpose, address)
      : guessBudgets(purpose, address, caller.ip);
  }

  /** Returns the budgets of a guess at a code that was sent to this number. */
  async guessByText(purpose: string, { number, find }: Recipient, caller: Caller): Promise<Budget[]> {
    return (await this.devices.isKnown(caller.deviceToken, null, find))
      ? knownDeviceGuessBudgets(purpose, number.e164)
      : guessBudgets(purpose, number.e164, caller.ip);
  }

  /** Returns the budgets of a password that is tried on the account with this address, and whether its browser is a known device. */
  async login(address: string, caller: Caller): Promise<{ budgets: Budget[]; isKnownDevice: boolean }> {
    const find = () => this.users.findByEmail(address);
    const isKnownDevice = await this.devices.isKnown(caller.deviceToken, address, find);
    const budgetsOf = isKnownDevice ? knownDeviceLoginBudgets : loginBudgets;
    return { budgets: budgetsOf(this.limits.login, address, caller.ip), isKnownDevice };
  }

  /**
   * Forgives what strangers have tried on the account and what they had sent to its mailbox, which has just been proven. A failure is
   * logged: the proof counts without it.
   */
  async forgive(address: string, { ip }: Caller): Promise<void> {
    try {
      await this.limiter.forget(mailboxBudgets(this.limits, address, ip));
    } catch (error) {
      this.logger.warn({ err: describeError(error) }, 'the limits of an account could not be reset');
    }
  }

  // Whoever signs up with an address has a device of its account. Until the mailbox is proven, that says nothing about mail to it.
  private isOwner(address: string, { deviceToken }: Caller): Promise<boolean> {
    return this.devices.isKnown(deviceToken, address, async () => {
      const user = await this.users.findByEmail(address);
      return user?.emailVerified ? user : null;
    });
  }
}

/** What a proof of the mailbox forgives: strangers' tries at its account, and the mails that they asked for. */
function mailboxBudgets(
  limits: { send: SendLimits; login: LoginLimits | false },
  address: string,
  ip?: string,
): Budget[] {
  return [
    ...['email_code', 'magic_link', 'password_reset'].flatMap((purpose) => [
      ...sendBudgets(limits.send, purpose, address),
      ...knownDeviceSendBudgets(limits.send, purpose, address),
    ]),
    ...guessBudgets('email_code', address),
    ...knownDeviceGuessBudgets('email_code', address),
    ...loginBudgets(limits.login, address, ip).filter(({ isCaller }) => !isCaller),
    ...knownDeviceLoginBudgets(limits.login, address, ip),
  ];
}
