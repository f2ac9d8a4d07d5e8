/**
 * Sign-in with a one-time code by text message (specification 4.3, `phoneOtp`; docs/decisions/phone-numbers.md). The number is an
 * identity of its user; it is never used to reset a password. A signed-in user adds and removes numbers.
 */
import { userCreated } from '../../core/sessions/sign-in.js';
import type * as z from 'zod';
import { phoneProvider, type ServiceIdentity } from '../../domain/identity.js';
import { parseMetadata } from '../../domain/metadata.js';
import { maskPhoneNumber, parsePhoneNumber } from '../../domain/phone-number.js';
import { InternalError, InvalidRequestError, TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { StoredUser } from '../../domain/user.js';
import type { ServiceError } from '../../errors/service-error.js';
import type { ProvenUser } from '../../core/sign-ups/mailbox-proof.js';
import { guessLimits } from '../../core/limits/rate-limits.js';
import { existingMember, existingUser } from '../../core/sessions/existing-user.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';
import { insertWithIdentity, newIdentity } from '../../core/sessions/new-user.js';
import { parseInput } from '../../core/support/input.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import { canSignIn, lastSignInMethodError } from '../../core/sessions/sign-in-methods.js';
import { parseId } from '../../core/support/input-types.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import { PhoneMessages } from './messages.js';
import {
  sendPhoneCodeInput,
  verifyPhoneCodeInput,
  linkPhoneInput,
  type PhoneOtpOptions,
  type PhoneOtpTools,
  sendPhoneLinkInput,
} from './options.js';

/** A phone number of an account. */
export interface AccountPhone {
  id: string;
  /** In E.164. */
  phone: string;
  createdAt: Date;
}

const linkPurpose = 'phone_link';

export class PhoneOtpProvider {
  private readonly messages: PhoneMessages;

  constructor(
    private readonly options: PhoneOtpOptions,
    private readonly tools: PhoneOtpTools,
  ) {
    this.messages = new PhoneMessages(options, tools);
  }

  /** Returns the countries whose numbers are accepted (ISO 3166-1, two letters), for the choice in a form. @throws InternalError if `allowCountry` fails. */
  countries(): string[] {
    return this.messages.countries();
  }

  /**
   * Sends a new code by text message, which replaces the previous one.
   * @param input.phone an international number; spaces and punctuation are dropped.
   * @param input.metadata for the user, if this code creates one.
   * @throws InvalidRequestError, also for a country that `allowCountry` refuses; RateLimitError; ChallengeRequiredError; SmsSendError;
   * a failed send is not counted; InternalError if `allowCountry` fails.
   */
  async sendCode(
    input: z.infer<ReturnType<typeof sendPhoneCodeInput>>,
    context: RequestContext = {},
  ): Promise<{ expiresAt: Date }> {
    const { accountLimits, challenges, languages } = this.tools;
    const sent = parseInput(sendPhoneCodeInput, input);
    context = parseContext(context);
    const number = this.messages.parse(sent.phone);
    const metadata = parseMetadata(sent.metadata);
    const { e164: subject } = number;
    const recipient = { number, find: () => this.ownerOf(subject) };
    await challenges.assertSolved('send', sent.challengeSolution, context.ip, () =>
      accountLimits.isOwnerOfNumber(recipient, context),
    );
    const limits = await accountLimits.forSms(recipient, this.options.maxPerCountry, context);
    const user = languages.isOne ? null : await recipient.find();
    const reader = { user, context };
    return this.messages.send(number, { purpose: 'phone_code', subject, limits, metadata, reader });
  }

  /**
   * Signs in with a code and consumes it. Creates a user with `email` null for a number that has no account.
   * @throws InvalidRequestError, RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError;
   * SignUpDisabledError if the number has no account and may not sign up.
   */
  async verify(
    input: z.infer<ReturnType<typeof verifyPhoneCodeInput>>,
    context: RequestContext = {},
  ): Promise<SignInResult> {
    const { accountLimits, codes, signIn } = this.tools;
    const { phone, code } = parseInput(verifyPhoneCodeInput, input);
    context = parseContext(context);
    const number = parsePhoneNumber(phone);
    const { e164 } = number;
    const recipient = { number, find: () => this.ownerOf(e164) };
    const attempt = { method: 'phone_code', subject: e164, context };
    return signIn.attempts.run(attempt, async () => {
      const rateLimits = await accountLimits.forSmsCode('phone_code', recipient, context);
      const { metadata, owner } = await codes
        .redeemCode('phone_code', e164, code, context.ip, { rateLimits, owner: recipient.find })
        .catch((error: ServiceError) => Promise.reject(signIn.failed(attempt, error)));
      const { user, created } = owner
        ? { user: owner, created: false }
        : await this.resolve(e164, metadata, context);
      return signIn.completeSignIn('phone_code', user, created, context);
    });
  }

  /**
   * Sends a code with which a signed-in user adds a number to the account. The response is the same if another account has the number.
   * @throws UserNotFoundError; NotAuthorizedError for a guest; otherwise as `sendCode`.
   */
  async sendLinkCode(
    input: z.infer<ReturnType<typeof sendPhoneLinkInput>>,
    context: RequestContext = {},
  ): Promise<{ expiresAt: Date }> {
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
      purpose: linkPurpose,
      subject: user.id,
      reader: { user, context },
      binding: bindingOf(number.e164, context.sessionEpoch ?? user.epoch),
      limits: [
        { name: 'text-user', subject: user.id, max, windowMs },
        ...(await accountLimits.forSms(stranger, this.options.maxPerCountry, context)),
      ],
    });
  }

  /**
   * Adds the number to the account of a signed-in user, who can then sign in with it. Let a user do it only soon after a sign-in, as the
   * route does. Mails a notice with `notices`.
   * @throws UserNotFoundError; NotAuthorizedError for a guest; RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError,
   * CodeInvalidError; InvalidRequestError, with the reason `phone_taken` if another account has the number; TokenInvalidError if all
   * sessions of the user have ended.
   */
  async link(
    input: z.infer<ReturnType<typeof linkPhoneInput>>,
    context: RequestContext = {},
  ): Promise<{ phone: AccountPhone }> {
    const { changes, clock, codes, logger, phoneNotices, storage } = this.tools;
    const { userId, phone, code } = parseInput(linkPhoneInput, input);
    context = parseContext(context);
    const { ip, sessionEpoch } = context;
    mustBeInPerson(userId, context);
    const { e164 } = parsePhoneNumber(phone);
    const user = await existingMember(storage, userId);
    const epoch = sessionEpoch ?? user.epoch;
    // Also per number: an attacker has as many accounts as they like.
    const rateLimits = [...guessLimits(linkPurpose, user.id, ip), ...guessLimits('phone_link_number', e164)];
    await codes.redeemCode(linkPurpose, user.id, code, ip, { binding: bindingOf(e164, epoch), rateLimits });
    const identity = newIdentity(user.id, accountOf(e164), clock());
    const isLinked = await changes.commit(
      () => storage.identities.link(identity, epoch),
      (isNew) => (isNew ? [['identity.linked', { userId: user.id, provider: phoneProvider }]] : []),
    );
    if (!isLinked) return { phone: await this.ownPhone(user, e164) };
    logger.info(
      { event: 'phone_added', userId: user.id, phone: maskPhoneNumber(e164), ip },
      'a user added a phone number',
    );
    phoneNotices.send(user, 'added', identity, context);
    return { phone: toPhone(identity) };
  }

  /** Returns the numbers of a user, oldest first. @throws UserNotFoundError */
  async list(userId: string, context: RequestContext = {}): Promise<{ phones: AccountPhone[] }> {
    const { identities, users } = this.tools.storage;
    const user = await existingUser(users, userId, context);
    const own = await identities.listForUser(user.id);
    return { phones: own.filter(isPhone).map(toPhone) };
  }

  /**
   * Removes a number from its account. An unknown number, or one of another user, is ignored. Mails a notice with `notices`.
   * @throws UserNotFoundError; InvalidRequestError with the reason `last_sign_in_method` if the user could no longer sign in.
   */
  async remove(userId: string, phoneId: string, context: RequestContext = {}): Promise<void> {
    const { changes, logger, phoneNotices, signInMethods, storage } = this.tools;
    context = parseContext(context);
    const { ip } = context;
    mustBeInPerson(userId, context);
    const id = parseId(phoneId, 'phoneId');
    const user = await existingUser(storage.users, userId);
    const own = await storage.identities.listForUser(user.id);
    if (!own.some((identity) => identity.id === id && isPhone(identity))) return;
    const outcome = await changes.commit(
      () => storage.identities.unlink(user.id, id, (left) => canSignIn(signInMethods, left)),
      ({ status }) =>
        status === 'unlinked' ? [['identity.unlinked', { userId: user.id, provider: phoneProvider }]] : [],
    );
    if (outcome.status === 'refused') throw lastSignInMethodError();
    if (outcome.status !== 'unlinked') return;
    const phone = maskPhoneNumber(outcome.identity.providerAccountId);
    logger.info({ event: 'phone_removed', userId: user.id, phone, ip }, 'a user removed a phone number');
    phoneNotices.send(user, 'removed', outcome.identity, context);
  }

  private ownerOf(e164: string): Promise<StoredUser | null> {
    return this.tools.storage.identities.findUser(phoneProvider, e164);
  }

  private async resolve(
    e164: string,
    metadata: Record<string, unknown>,
    context: RequestContext,
  ): Promise<ProvenUser> {
    const { changes, clock, signUpPolicy, storage } = this.tools;
    const { identities } = storage;
    const account = accountOf(e164);
    const proven = { method: 'phone_code', email: null, emailVerified: false, phone: e164 };
    const signUp = { ...proven, metadata, account };
    // A round fails only if a parallel sign-in with the same number wins; the next round finds its user.
    for (let round = 0; round < 5; round += 1) {
      const user = await signUpPolicy.newUser(signUp, context);
      const event = userCreated(user.id, { method: 'phone_code' });
      const inserted = await insertWithIdentity({ changes, identities }, user, account, clock(), event);
      if (inserted) return inserted;
      const found = await this.ownerOf(e164);
      if (found) return { user: found, created: false };
    }
    throw new InternalError(new Error('The owner of the number changed on every attempt.'));
  }

  /**
   * Returns the user's number if it was added before, for example by a parallel call.
   * @throws InvalidRequestError with the reason `phone_taken` if another user has it: the caller has proven access to the phone, so the
   * answer reveals nothing to a stranger. TokenInvalidError if all sessions of the user have ended.
   */
  private async ownPhone(user: StoredUser, e164: string): Promise<AccountPhone> {
    const { identities } = this.tools.storage;
    const own = await identities.listForUser(user.id);
    const existing = own.find((identity) => isPhone(identity) && identity.providerAccountId === e164);
    if (existing) return toPhone(existing);
    if (!(await identities.findUser(phoneProvider, e164)))
      throw new TokenInvalidError(because('epoch_passed'));
    throw new InvalidRequestError('Another account has this phone number. Remove it there first.', {
      reason: 'phone_taken',
    });
  }
}

/** Includes the epoch, so that a sign-out everywhere cancels the request. */
function bindingOf(e164: string, epoch: number): string[] {
  return [e164, String(epoch)];
}

const accountOf = (e164: string) => ({ provider: phoneProvider, providerAccountId: e164 });

const isPhone = ({ provider }: ServiceIdentity) => provider === phoneProvider;

function toPhone({ id, providerAccountId, createdAt }: ServiceIdentity): AccountPhone {
  return { id, phone: providerAccountId, createdAt };
}
