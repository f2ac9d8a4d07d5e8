/** Phone numbers of existing accounts: added by a signed-in user with a code, and removed (docs/decisions/phone-numbers.md). */
import { uuidV7 } from '../../crypto/random.js';
import { phoneProvider, type ServiceIdentity } from '../../domain/identity.js';
import { maskPhoneNumber, parsePhoneNumber } from '../../domain/phone-number.js';
import type { StoredUser } from '../../domain/user.js';
import { InvalidRequestError, TokenInvalidError } from '../../errors/catalog.js';
import { guessLimits } from '../../core/limits/rate-limits.js';
import { existingMember, existingUser } from '../../core/sessions/existing-user.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import { canSignIn, lastSignInMethodError } from '../../core/sessions/sign-in-methods.js';
import { parseInput } from '../../core/support/input.js';
import { parseId } from '../../core/support/input-types.js';
import type { PhoneMessages } from './messages.js';
import { linkPhoneInput, sendPhoneLinkInput, type PhoneOtpTools } from './options.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';

/** A phone number of an account. */
export interface AccountPhone {
  id: string;
  /** In E.164. */
  phone: string;
  createdAt: Date;
}

const purpose = 'phone_link';

export class PhoneLinks {
  constructor(
    private readonly maxPerCountry: number,
    private readonly messages: PhoneMessages,
    private readonly tools: PhoneOtpTools,
  ) {}

  async send(input: unknown, context: RequestContext): Promise<{ expiresAt: Date }> {
    const { accountLimits, limits, storage } = this.tools;
    const { userId, phone } = parseInput(sendPhoneLinkInput, input);
    context = parseContext(context);
    mustBeInPerson(userId, context);
    const number = this.messages.parse(phone);
    const user = await existingMember(storage, userId);
    const { maxPerWindow: max, windowMs } = limits.send;
    // Also if the number belongs to someone: whether it does is revealed to its owner only. Its known devices do not count, because they
    // are not the caller's.
    const stranger = { number, find: async () => null };
    return this.messages.send(number, {
      purpose,
      subject: user.id,
      reader: { user, context },
      binding: bindingOf(number.e164, context.sessionEpoch ?? user.epoch),
      limits: [
        { name: 'text-user', subject: user.id, max, windowMs },
        ...(await accountLimits.forSms(stranger, this.maxPerCountry, context)),
      ],
    });
  }

  async link(input: unknown, context: RequestContext): Promise<{ phone: AccountPhone }> {
    const { clock, codes, events, logger, phoneNotices, storage } = this.tools;
    const { userId, phone, code } = parseInput(linkPhoneInput, input);
    context = parseContext(context);
    const { ip, sessionEpoch } = context;
    mustBeInPerson(userId, context);
    const { e164 } = parsePhoneNumber(phone);
    const user = await existingMember(storage, userId);
    const epoch = sessionEpoch ?? user.epoch;
    // Also per number: an attacker has as many accounts as they like.
    const rateLimits = [...guessLimits(purpose, user.id, ip), ...guessLimits('phone_link_number', e164)];
    await codes.redeemCode(purpose, user.id, code, ip, { binding: bindingOf(e164, epoch), rateLimits });
    const now = clock();
    const identity = {
      id: uuidV7(now),
      userId: user.id,
      provider: phoneProvider,
      providerAccountId: e164,
      createdAt: new Date(now),
    };
    if (!(await storage.identities.link(identity, epoch))) return { phone: await this.existing(user, e164) };
    logger.info(
      { event: 'phone_added', userId: user.id, phone: maskPhoneNumber(e164), ip },
      'a user added a phone number',
    );
    events.emit('identity.linked', { userId: user.id, provider: phoneProvider });
    phoneNotices.send(user, 'added', identity, context);
    return { phone: toPhone(identity) };
  }

  async list(userId: string, context: RequestContext): Promise<{ phones: AccountPhone[] }> {
    const { identities, users } = this.tools.storage;
    const user = await existingUser(users, userId, context);
    const own = await identities.listForUser(user.id);
    return { phones: own.filter(isPhone).map(toPhone) };
  }

  async remove(userId: string, phoneId: string, context: RequestContext): Promise<void> {
    const { events, logger, phoneNotices, signInMethods, storage } = this.tools;
    context = parseContext(context);
    const { ip } = context;
    mustBeInPerson(userId, context);
    const id = parseId(phoneId, 'phoneId');
    const user = await existingUser(storage.users, userId);
    const own = await storage.identities.listForUser(user.id);
    if (!own.some((identity) => identity.id === id && isPhone(identity))) return;
    const outcome = await storage.identities.unlink(user.id, id, (left) => canSignIn(signInMethods, left));
    if (outcome.status === 'refused') throw lastSignInMethodError();
    if (outcome.status !== 'unlinked') return;
    const phone = maskPhoneNumber(outcome.identity.providerAccountId);
    logger.info({ event: 'phone_removed', userId: user.id, phone, ip }, 'a user removed a phone number');
    events.emit('identity.unlinked', { userId: user.id, provider: phoneProvider });
    phoneNotices.send(user, 'removed', outcome.identity, context);
  }

  /**
   * Returns the user's number if it was added before, for example by a parallel call.
   * @throws InvalidRequestError with the reason `phone_taken` if another user has it: the caller has proven access to the phone, so the
   * answer reveals nothing to a stranger. TokenInvalidError if all sessions of the user have ended.
   */
  private async existing(user: StoredUser, e164: string): Promise<AccountPhone> {
    const { identities } = this.tools.storage;
    const own = await identities.listForUser(user.id);
    const existing = own.find((identity) => isPhone(identity) && identity.providerAccountId === e164);
    if (existing) return toPhone(existing);
    if (!(await identities.findUser(phoneProvider, e164))) throw new TokenInvalidError();
    throw new InvalidRequestError('Another account has this phone number. Remove it there first.', {
      reason: 'phone_taken',
    });
  }
}

/** Includes the epoch, so that a sign-out everywhere cancels the request. */
function bindingOf(e164: string, epoch: number): string[] {
  return [e164, String(epoch)];
}

const isPhone = ({ provider }: ServiceIdentity) => provider === phoneProvider;

function toPhone({ id, providerAccountId, createdAt }: ServiceIdentity): AccountPhone {
  return { id, phone: providerAccountId, createdAt };
}
