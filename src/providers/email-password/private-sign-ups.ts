/**
 * Sign-ups that do not reveal which addresses have an account (docs/decisions/private-sign-up.md). Nothing is created before a mailed
 * code has proven the address, in the browser that chose the password. The code is mailed to known addresses too, and signs their
 * owners in.
 */
import { openToken, signToken } from '../../crypto/signed-token.js';
import type { CodeFormat, SentCode } from '../../domain/one-time-code.js';
import type { StoredUser } from '../../domain/user.js';
import type { Username } from '../../domain/username.js';
import { CodeExpiredError, CodeNotFoundError, TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { ServiceError } from '../../errors/service-error.js';
import { sendLimits } from '../../core/limits/send-limits.js';
import { existingAccountTemplate, verificationTemplate } from '../../core/mail/email-templates.js';
import type { ReadUsers } from '../../core/sign-ups/mailbox-proof.js';
import type { CodeTemplate } from '../../core/mail/senders/email-sender.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import type { SignUp } from '../../core/sign-ups/sign-up-options.js';
import { withAttemptedUser } from '../../core/support/attempted-user.js';
import { parseInput } from '../../core/support/input.js';
import { usernameTaken } from '../../core/sign-ups/usernames.js';
import {
  finishSignUpInput,
  resendSignUpInput,
  type EmailPasswordOptions,
  type EmailPasswordTools,
} from './options.js';
import type { SignUpSlots } from './sign-up-slots.js';

/** A sign-up that waits for the code that was mailed to its address. */
export interface PendingSignUp extends CodeFormat {
  /** A secret of the browser that signs up: pass it to `finishSignUp`. It does not reveal whether the address has an account. */
  token: string;
  /** When the code expires. */
  expiresAt: Date;
}

/** What is stored with the code. */
interface Pending {
  passwordHash: string;
  username: string | null;
  metadata: Record<string, unknown>;
  fields: Record<string, unknown>;
  /** Epoch of the account of the address, if it had one. */
  epoch: number | null;
}

interface SubmittedSignUp {
  password: string;
  username: Username | null;
  signUp: SignUp & { email: string };
}

const method = 'password_signup';

/** The token outlives the code by an hour, so that a late client gets `code_expired` and not `token_invalid`. */
const graceMs = 60 * 60_000;

export class PrivateSignUps {
  constructor(
    private readonly options: EmailPasswordOptions,
    private readonly tools: EmailPasswordTools,
    private readonly slots: SignUpSlots,
  ) {}

  async start(
    { password, username, signUp: submitted }: SubmittedSignUp,
    context: RequestContext,
  ): Promise<PendingSignUp> {
    const { accountLimits, clock, codes, keys, limiter, signUpPolicy, usernameOwners } = this.tools;
    const { ip } = context;
    const { email } = submitted;
    const signUp = { ...submitted, emailVerified: true };
    const spent = await limiter.consume(await accountLimits.forMail('sign_up', email, context));
    try {
      // Outside of the queue, because it can ask another system. Reveals a user name, which every sign-up does.
      const isTaken = username !== null && (await usernameOwners.isTaken(username));
      // All of this also for an address that has an account: neither the response nor the time may differ.
      const { owner, passwordHash } = await this.slots.run(
        password,
        { email, username: username?.name },
        ip,
        async (place, owner) => {
          await signUpPolicy.admit(signUp, ip);
          if (isTaken) throw usernameTaken();
          return { owner, passwordHash: await place.hashPassword(password) };
        },
      );
      const { token, digest } = signToken(keys, 'sign_up', email, clock() + codes.ttlMs + graceMs);
      const pending: Pending = {
        passwordHash,
        username: username?.name ?? null,
        metadata: signUp.metadata,
        fields: signUp.fields ?? {},
        epoch: owner?.epoch ?? null,
      };
      // A separate code for every browser: a stranger who signs up with the same address can neither replace this one nor have
      // the owner of the mailbox confirm a password of the stranger.
      const isLong = await accountLimits.needsLongCode('email_code', email, context);
      const options = { metadata: { ...pending }, binding: [email], isLong };
      const issued = await codes.issueCode('sign_up', digest, options);
      await this.tools.codeMailer.sendCode('sign_up', email, issued, this.mailFor(owner), {
        user: owner,
        context,
      });
      return { token, expiresAt: issued.expiresAt, ...issued.format };
    } catch (error) {
      await spent.refund();
      throw error;
    }
  }

  /** Mails another code for a sign-up that waits for one: to the address in the token, and so in one browser only. */
  async resend(input: unknown, context: RequestContext): Promise<SentCode> {
    const { accountLimits, clock, codeMailer, codes, keys, limiter } = this.tools;
    const { token } = parseInput(resendSignUpInput, input);
    context = parseContext(context);
    const opened = openToken(keys, 'sign_up', token, clock());
    if (opened.status !== 'valid') throw new TokenInvalidError(because('sign_up_ended'));
    const { subject: email, digest, expiresAt: until } = opened;
    const limits = await accountLimits.forMail('sign_up', email, context);
    const { spent, user: owner } = await limiter.consumeAndFindUser(limits, email);
    try {
      const isLong = await accountLimits.needsLongCode('email_code', email, context);
      const issued = await codes.renewCode('sign_up', digest, { binding: [email], isLong, until });
      await codeMailer.sendCode('sign_up', email, issued, this.mailFor(owner), { user: owner, context });
      return { expiresAt: issued.expiresAt, ...issued.format };
    } catch (error) {
      await spent.refund();
      throw error;
    }
  }

  async finish(input: unknown, context: RequestContext): Promise<SignInResult> {
    const { token, code } = parseInput(finishSignUpInput, input);
    context = parseContext(context);
    const attempt = { method, subject: '', context };
    return this.tools.signIn.attempts.run(attempt, () => this.finishWith(token, code, context));
  }

  private async finishWith(token: string, code: string, context: RequestContext): Promise<SignInResult> {
    const { clock, keys, signIn } = this.tools;
    const opened = openToken(keys, 'sign_up', token, clock());
    if (opened.status === 'invalid') throw new TokenInvalidError(because('sign_up_ended'));
    const { subject: email, digest } = opened;
    const refuse = (error: ServiceError) => signIn.failed({ method, subject: email, context }, error);
    if (opened.status === 'expired') throw refuse(new CodeExpiredError());
    const { pending, readUsers } = await this.redeem(email, digest, code, context).catch(
      (error: ServiceError) => Promise.reject(refuse(error)),
    );
    const { before: owner } = readUsers;
    // As for codes of a sign-in: what ended the sessions of the account since then also ended its codes.
    const isOutdated = owner?.emailVerified && pending.epoch !== null && pending.epoch !== owner.epoch;
    if (isOutdated) throw refuse(withAttemptedUser(new CodeNotFoundError(), owner.id));
    return owner ? this.signIn(readUsers, email, pending, context) : this.create(email, pending, context);
  }

  private async redeem(email: string, digest: string, code: string, context: RequestContext) {
    const { accountLimits, codes, limits } = this.tools;
    // Shared with codes of sign-ins: both sign in to an existing account, which must not get twice as many guesses.
    const rateLimits = await accountLimits.forMailedCode('email_code', email, code, context);
    const resets = [
      ...accountLimits.ofProvenMailbox(email, context),
      ...sendLimits(limits.send, 'sign_up', email),
    ];
    const guess = { rateLimits, resets, binding: [email], owner: email };
    const redeemed = await codes.redeemCode('sign_up', digest, code, context.ip, guess);
    const readUsers: ReadUsers = { before: redeemed.owner, atProof: redeemed.ownerAtProof };
    return { pending: redeemed.metadata as unknown as Pending, readUsers };
  }

  /** Creates the account of a new address. */
  private async create(email: string, pending: Pending, context: RequestContext): Promise<SignInResult> {
    const { signIn, signUpPolicy, usernames } = this.tools;
    const { passwordHash, metadata, fields } = pending;
    // Without the token of an invite: the address is proven now.
    const signUp = { method, email, emailVerified: true, metadata, fields };
    const newUser = { ...(await signUpPolicy.newUser(signUp, context)), passwordHash };
    const username = pending.username === null ? null : usernames.parse(pending.username);
    const inserted = await this.slots.insert(newUser, username, context, method);
    if (inserted === 'username_taken') throw usernameTaken();
    // Another request has created the account of this mailbox since the code was redeemed.
    if (inserted === 'email_taken') return this.signIn({ before: null }, email, pending, context);
    const { user, ...started } = inserted;
    return signIn.completeSignIn(method, user, true, context, started);
  }

  /**
   * Signs in to the account of a known address. A verified account keeps its password or has none. An unverified one is reclaimed,
   * and gets the password of the browser that has proven the mailbox.
   */
  private async signIn(
    readUsers: ReadUsers,
    email: string,
    { passwordHash, metadata, fields }: Pending,
    context: RequestContext,
  ): Promise<SignInResult> {
    const { changes, clock, mailboxProof, signIn, storage } = this.tools;
    const signUp = { method, metadata, fields };
    const { before: owner } = readUsers;
    if (owner?.emailVerified) return mailboxProof.signInWithProof(email, signUp, context, readUsers);
    const { user, created, session } = await mailboxProof.findOrCreateUser(email, signUp, context, {
      before: owner,
    });
    const isReclaimed = owner !== null && user.passwordHash === null;
    if (!isReclaimed) return signIn.completeSignIn(method, user, created, context, { session });
    const now = new Date(clock());
    const isSet = await changes.commit(
      () => storage.users.setFirstPassword(user.id, user.epoch, passwordHash, now),
      (isAdded) => (isAdded ? [['password.added', { userId: user.id }]] : []),
    );
    const changed = isSet ? { ...user, passwordHash, updatedAt: now } : user;
    return signIn.completeSignIn(method, changed, created, context, { session });
  }

  /** A template that fails for known addresses only, or for unknown ones only, would reveal which they are. */
  private mailFor(owner: StoredUser | null) {
    const { mailer } = this.tools;
    const { verificationTemplate: forNew, existingAccountTemplate: forOwner, ...mail } = this.options;
    const [own, builtIn] = owner ? [forOwner, existingAccountTemplate] : [forNew, verificationTemplate];
    const template: CodeTemplate = (values) =>
      mailer.withFallback(
        (base) => own({ ...values, ...base }),
        (base) => builtIn({ ...values, ...base }),
      )(values);
    return { ...mail, template };
  }
}
