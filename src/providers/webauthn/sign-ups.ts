/**
 * New accounts with a passkey and without a password (docs/decisions/passkey-sign-up.md). An address gets into an account only after it
 * was proven, so a sign-up takes no address of another person, and reveals none that has an account.
 */
import type * as z from 'zod';
import { userCreated } from '../../core/sessions/sign-in.js';
import type { EmittedEvent } from '../../core/support/events.js';
import { uuidV7 } from '../../crypto/random.js';
import type { StoredCredential } from '../../domain/credential.js';
import { parseEmailAddress } from '../../domain/email-address.js';
import { parseMetadata } from '../../domain/metadata.js';
import { parseName } from '../../domain/name.js';
import type { SentCode } from '../../domain/one-time-code.js';
import { anybody } from '../../domain/single-use-token.js';
import type { StoredUser } from '../../domain/user.js';
import type { Username } from '../../domain/username.js';
import {
  EmailExistsError,
  InternalError,
  InvalidRequestError,
  ProviderNotConfiguredError,
  TokenInvalidError,
} from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { challengeLimits, mailedCodeLimits, signUpLimits } from '../../core/limits/rate-limits.js';
import { chosenAddressLimits, sendLimits } from '../../core/limits/send-limits.js';
import type { ProvenUser } from '../../core/sign-ups/mailbox-proof.js';
import { stored } from '../../core/sessions/new-user.js';
import { emailChangeBinding, mailNewAddress, type NewAddressMail } from '../../core/mail/new-addresses.js';
import { assertRecentSignIn } from '../../core/sessions/recent-sign-in.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { SignInAttempt } from '../../core/sessions/sign-in-attempts.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import type { SignUp } from '../../core/sign-ups/sign-up-options.js';
import { parseCode, parseInput } from '../../core/support/input.js';
import { usernameTaken } from '../../core/sign-ups/usernames.js';
import type { CredentialRepository } from '../../storage/second-factor-repositories.js';
import { verified } from './assertions.js';
import type { Challenges } from './challenges.js';
import {
  addressOf,
  finishSignUpInput,
  sendSignUpCodeInput,
  startSignUpInput,
  type PasskeySignUpOptions,
  type PasskeyTools,
  type WebAuthnOptions,
} from './options.js';
import type { PasskeyPolicy } from './policy.js';

const method = 'passkey_signup';

const attemptOf = (context: RequestContext): SignInAttempt => ({ method, subject: '', context });

/** A sign-up between its two steps, kept with the challenge. */
interface Draft {
  /** Part of the passkey from the start. */
  userId: string;
  email: string | null;
  /** Whether a code has proven the address. Otherwise the account does not get it yet. */
  isProven: boolean;
  /** Whether `userId` is an unverified account with the proven address. */
  isReclaim: boolean;
  username: Username | null;
  metadata: Record<string, unknown>;
  fields: Record<string, unknown>;
}

export class PasskeySignUps {
  constructor(
    private readonly options: WebAuthnOptions,
    private readonly tools: PasskeyTools,
    private readonly credentials: CredentialRepository,
    private readonly challenges: Challenges,
    private readonly policy: PasskeyPolicy,
  ) {}

  /** @throws ProviderNotConfiguredError */
  assertEnabled(): PasskeySignUpOptions {
    const { signUp } = this.options;
    if (!signUp) throw new ProviderNotConfiguredError('webauthn.signUp');
    return signUp;
  }

  async sendCode(input: unknown, context: RequestContext): Promise<SentCode> {
    const { accountLimits, challenges, codes, limiter, limits, mailer, signUpPolicy, storage } = this.tools;
    if (this.assertEnabled().address !== 'verified')
      throw new ProviderNotConfiguredError('webauthn.signUp.address');
    const sent = parseInput(sendSignUpCodeInput, input);
    const email = parseEmailAddress(sent.email);
    context = parseContext(context);
    signUpPolicy.assertEnabled();
    await challenges.assertSolved('send', sent.challengeSolution, context.ip);
    const spent = await limiter.consume(sendLimits(limits.send, method, email, context.ip));
    try {
      const signUp = { method, email, emailVerified: true, metadata: {} };
      const isRefused = await signUpPolicy.refusesMail(signUp, context.ip);
      // Also for an address that gets no code: guesses must get the same responses.
      const isLong = await accountLimits.needsLongCode('email_code', email, { ip: context.ip });
      const issued = await codes.issueCode(method, email, { isLong });
      const owner = await storage.users.findByEmail(email);
      const [mail, reader] = [this.mail(), { user: owner, context }];
      const [isInUse, refusal] = [owner?.emailVerified === true, signUpPolicy.refusal(mailer)];
      if (isRefused) await mailer.sendMail('sign_up_refused', email, mail, refusal, reader, issued.discard);
      else await mailNewAddress(this.tools, method, email, issued, mail, isInUse, reader);
      return { expiresAt: issued.expiresAt, ...issued.format };
    } catch (error) {
      await spent.refund();
      throw error;
    }
  }

  async start(input: unknown, context: RequestContext) {
    const { challenges, clock, limiter, limits, signIn, signUpPolicy } = this.tools;
    const { address } = this.assertEnabled();
    const { email, code, challengeSolution, ...sent } = parseInput(startSignUpInput, input);
    context = parseContext(context);
    const wanted = addressOf(email, address);
    signUpPolicy.assertEnabled();
    const fields = await signUpPolicy.parseFields(sent.fields);
    const metadata = parseMetadata({ ...fields, ...parseMetadata(sent.metadata) });
    // The mail with the code had its challenge.
    if (address !== 'verified') await challenges.assertSolved('sign_up', challengeSolution, context.ip);
    await limiter.consume([...challengeLimits(context.ip), ...signUpLimits(limits.signUp, context.ip)]);
    // Before the code is redeemed: another name can then be tried with the same code.
    const username = await this.freeUsername(sent.username);
    const isProven = wanted !== null && address === 'verified';
    const own = isProven ? await signIn.currentSession(context) : null;
    if (own?.user.email === wanted) assertRecentSignIn(own, this.tools);
    const owner = isProven ? await this.prove(wanted, code, context.ip) : null;
    const signUp = { method, email: wanted, emailVerified: isProven, metadata, fields };
    if (!owner) await signUpPolicy.admit(signUp, context.ip);
    const userId = owner?.id ?? uuidV7(clock());
    const isReclaim = owner !== null;
    const draft: Draft = { userId, email: wanted, isProven, isReclaim, username, metadata, fields };
    const name = username?.name ?? wanted;
    // Discoverable: a new account may have no other way to sign in.
    const options = await this.policy.registrationOptions({ id: userId, name }, [], 'required');
    await this.challenges.remember('webauthn_signup', options.challenge, anybody, { ...draft });
    return { options, challenge: options.challenge };
  }

  async finish(input: unknown, context: RequestContext): Promise<SignInResult> {
    const { signIn } = this.tools;
    this.assertEnabled();
    const { response, expectedChallenge, name } = parseInput(finishSignUpInput, input);
    const chosenName = name === undefined ? null : parseName(name);
    context = parseContext(context);
    const answer = { response, expectedChallenge };
    return signIn.attempts.run(attemptOf(context), () => this.finishWith(answer, chosenName, context));
  }

  private async finishWith(
    {
      response,
      expectedChallenge,
    }: Pick<z.output<ReturnType<typeof finishSignUpInput>>, 'response' | 'expectedChallenge'>,
    chosenName: string | null,
    context: RequestContext,
  ): Promise<SignInResult> {
    const { clock, logger, signIn } = this.tools;
    try {
      const { metadata } = await this.challenges.consume('webauthn_signup', expectedChallenge, [anybody]);
      const draft = metadata as unknown as Draft;
      const { credential, userVerified, ...backup } = await verified(logger, () =>
        this.policy.verifyRegistration(response, expectedChallenge),
      );
      const times = { createdAt: new Date(clock()), lastUsedAt: null, lastUsedFrom: null, userHandle: null };
      const passkey = { ...credential, ...backup, ...times, userId: draft.userId, name: chosenName };
      const { user, created } = await this.createUser(draft, passkey, context);
      const about = { userId: user.id, credentialId: passkey.id };
      logger.info({ event: 'passkey_registered', ...about }, 'a passkey was registered');
      if (draft.email !== null && !draft.isProven) this.mailCode(user, draft.email, context);
      const isTwoFactors = this.options.countsAsTwoFactors && userVerified;
      const result = isTwoFactors
        ? await signIn.completeTwoFactors(method, user, context, { created, credentialId: passkey.id })
        : await signIn.completeSignIn(method, user, created, context);
      return result;
    } catch (error) {
      if (error instanceof TokenInvalidError) throw signIn.failed(attemptOf(context), error);
      throw error;
    }
  }

  /** Inserts the passkey together with its user, or with the reclaim of the account of a proven address. */
  private async createUser(
    draft: Draft,
    passkey: StoredCredential,
    context: RequestContext,
  ): Promise<ProvenUser> {
    if (draft.isReclaim) return this.reclaim(draft, passkey, context);
    const { userId: id, email, isProven, username, metadata, fields } = draft;
    const signUp: SignUp = { method, email, emailVerified: isProven, metadata, fields };
    const admitted = await this.tools.signUpPolicy.newUser(signUp, context);
    const user = { ...admitted, id, email: isProven ? email : null };
    const registered: EmittedEvent = ['passkey.registered', { userId: id, credentialId: passkey.id }];
    const outcome = await this.tools.changes.commit(
      () => this.credentials.insertWithUser(passkey, user, username),
      (status) => (status === 'inserted' ? [userCreated(id, { method }), registered] : []),
    );
    if (outcome === 'taken') throw alreadyRegistered();
    if (outcome === 'username_taken') throw usernameTaken();
    // The mailbox is proven, so its owner may know.
    if (outcome === 'email_taken') throw new EmailExistsError();
    if (outcome !== 'inserted')
      throw new InternalError(undefined, 'A sign-up has no external id that could be taken.');
    return { user: { ...stored(user), username: username?.name ?? null }, created: true };
  }

  /** Verifies the address and inserts the passkey together: an account must not lose what it had for a passkey that it does not get. */
  private async reclaim(
    { email, metadata, userId, username }: Draft,
    passkey: StoredCredential,
    context: RequestContext,
  ): Promise<ProvenUser> {
    const { changes, clock, mailboxProof, signIn, storage } = this.tools;
    const owner = email === null ? null : await storage.users.findByEmail(email);
    if (owner?.emailVerified) throw new EmailExistsError();
    // The passkey names the account that had the address at the start.
    if (!owner || email === null || owner.id !== userId)
      throw new TokenInvalidError(because('passkey_challenge_invalid'));
    // As for every proof of a mailbox: the user who has signed up in this browser keeps what the account has.
    const own = await signIn.currentSession(context);
    const keepsAccount = own?.user.id === userId;
    // Like every other new sign-in method of the account.
    if (keepsAccount) assertRecentSignIn(own, this.tools);
    const proof = { email, epoch: owner.epoch, keepsAccount, username, metadata, now: new Date(clock()) };
    const registered: EmittedEvent = ['passkey.registered', { userId, credentialId: passkey.id }];
    const claimed: EmittedEvent[] = keepsAccount ? [] : [['user.claimed', { userId }]];
    const outcome = await changes.commit(
      () => this.credentials.insertWithProof(passkey, proof),
      ({ status }) => (status === 'inserted' ? [...claimed, registered] : []),
    );
    if (outcome.status === 'taken') throw alreadyRegistered();
    if (outcome.status === 'username_taken') throw usernameTaken();
    if (outcome.status !== 'inserted') throw new TokenInvalidError(because('epoch_passed'));
    if (!keepsAccount) mailboxProof.logClaim(userId);
    return { user: outcome.user, created: false };
  }

  /** Returns the unverified account of the proven address, if there is one. @throws EmailExistsError if it is verified. */
  private async prove(email: string, code: string | undefined, ip?: string): Promise<StoredUser | null> {
    if (code === undefined) throw new InvalidRequestError('code is required.');
    // The limits of codes that sign in: an attacker must not get twice as many guesses at one mailbox.
    const rateLimits = mailedCodeLimits('email_code', email, parseCode(code), ip);
    const { owner } = await this.tools.codes.redeemCode(method, email, code, ip, {
      owner: email,
      rateLimits,
    });
    const found = owner ?? (await this.tools.mailboxProof.findOrBring(email));
    if (found?.emailVerified) throw new EmailExistsError();
    return found;
  }

  private async freeUsername(input: string | undefined): Promise<Username | null> {
    const { usernameOwners, usernames } = this.tools;
    if (input === undefined) return null;
    usernames.assertEnabled();
    const username = usernames.parse(input);
    if (await usernameOwners.isTaken(username)) throw usernameTaken();
    return username;
  }

  /** Mails a code with which `account.confirmEmailChange` adds the address, in the background: the account exists, whether or not it arrives. */
  private mailCode(user: StoredUser, address: string, context: RequestContext): void {
    const { id: userId, email: current, epoch } = user;
    const { background, codes, limiter, limits, storage } = this.tools;
    const budgets = chosenAddressLimits(limits.send, 'email_change', { userId, address }, context.ip);
    const send = async () => {
      const spent = await limiter.consume(budgets);
      try {
        const binding = emailChangeBinding(current, address, epoch);
        const issued = await codes.issueCode('email_change', userId, { binding });
        const owner = await storage.users.findByEmail(address);
        const [mail, reader] = [this.mail(), { user: owner ?? user, context }];
        await mailNewAddress(this.tools, 'email_change', address, issued, mail, owner !== null, reader);
      } catch (error) {
        await spent.refund();
        throw error;
      }
    };
    background.start('address of a sign-up', send, context.ip);
  }

  /** @throws ProviderNotConfiguredError without a sender, which the configuration requires unless there is no mail to send. */
  private mail(): NewAddressMail {
    const { sender, from, template, addressInUseTemplate } = this.assertEnabled();
    if (!sender) throw new ProviderNotConfiguredError('webauthn.signUp.sender');
    return { sender, from, template, addressInUseTemplate };
  }
}

const alreadyRegistered = () => new InvalidRequestError('This passkey is already registered.');
