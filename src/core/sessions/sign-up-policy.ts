/**
 * The sign-up policy (docs/sign-up.md): asks the application before any account is created, and refuses whatever is not a clear yes.
 * Every method that creates a user gets the new record from here. Users whom an administrator creates are not asked about.
 */
import * as z from 'zod';
import { uuidV7 } from '../../crypto/random.js';
import { maskEmailAddress } from '../../domain/email-address.js';
import type { SignUpProfile } from '../../domain/identity.js';
import { isPlainObject, mergeMetadata, parseJsonObject } from '../../domain/metadata.js';
import { parseUserRoles } from '../../domain/user-roles.js';
import { SignUpDisabledError } from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import type { NewUser, UserRepository } from '../../storage/repositories.js';
import { signUpRefusedTemplate } from '../mail/email-templates.js';
import type { EmailContent, NoticeTemplate } from '../mail/senders/email-sender.js';
import type { Clock } from '../support/clock.js';
import { describeError, type Logger } from '../support/logger.js';
import { functionOption } from '../support/option-types.js';
import { withTimeout } from '../support/timeouts.js';
import { fieldsOption, parseFields } from './sign-up-fields.js';

/** The account that is about to be created. Contains no secrets. */
export interface SignUpCandidate {
  /** As in the event `user.created`: `email_code` or `google`, for example. `guest_upgrade` for a guest who gets an address or an identity. */
  readonly method: string;
  /** The address that the account will have. */
  readonly email: string | null;
  /** Whether the address is proven when the account is created. False for `password_signup`: anyone can type an address. */
  readonly emailVerified: boolean;
  /** In E.164. */
  readonly phone: string | null;
  /** What an identity provider says about the user. */
  readonly profile: SignUpProfile | null;
  /** The metadata that the account will have, `fields` included. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The result of `signUp.fields`. Empty for every method except `password_signup`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** IP address of the client. */
  readonly ip: string | null;
}

/** What `allow` returns to allow a sign-up and set something on the user. */
export interface SignUpDecision {
  /** Merged one level into the metadata of the candidate; null removes a key. */
  metadata?: Record<string, unknown>;
  roles?: readonly string[];
}

/** Returns true or a decision to allow the account. Any other result, an error, and no result within five seconds refuse it. */
export type AllowSignUp = (
  candidate: SignUpCandidate,
) => boolean | SignUpDecision | Promise<boolean | SignUpDecision>;

/** A sign-up as a provider describes it. */
export interface SignUp extends Pick<SignUpCandidate, 'method' | 'email' | 'emailVerified'> {
  /** Checked by `parseMetadata`. */
  metadata: Record<string, unknown>;
  phone?: string;
  profile?: SignUpProfile | undefined;
  fields?: Record<string, unknown>;
}

export const signUpOptions = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      'Whether new accounts may be created. If false, only administrators and your own code create users.',
    ),
  allow: functionOption<AllowSignUp>()
    .optional()
    .describe(
      'Asked before an account is created, by every method: returns true, false, or `{ metadata, roles }` for the new user. An error, another result, or none within five seconds refuses the account. Must have no side effects, because it may be asked more than once.',
    ),
  fields: fieldsOption()
    .optional()
    .describe(
      "Your fields in the body of `POST /password/signup`: a zod object, a Standard Schema, or an object with `safeParse`. Unknown fields are refused; the result is stored in the user's metadata.",
    ),
  refusedTemplate: functionOption<NoticeTemplate>()
    .default(() => signUpRefusedTemplate)
    .meta({
      description: 'Renders the mail to an address that may not sign up, from `{ appName }`.',
      defaultText: 'the built-in mail',
    }),
});

type Options = z.output<typeof signUpOptions>;

const timeoutMs = 5_000;

export class SignUpPolicy {
  constructor(
    private readonly options: Options,
    private readonly users: UserRepository,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Checks that anyone may sign up. Call it before anything that depends on an account. @throws SignUpDisabledError */
  assertEnabled(): void {
    if (!this.options.enabled) throw new SignUpDisabledError();
  }

  /** Returns the record of a new user, for the storage to insert. @throws SignUpDisabledError */
  async newUser(signUp: SignUp, ip: string | undefined): Promise<NewUser> {
    const { metadata, roles = [] } = await this.admit(signUp, ip);
    const { email, emailVerified } = signUp;
    const now = this.clock();
    const createdAt = new Date(now);
    return { id: uuidV7(now), email, emailVerified, passwordHash: null, metadata, roles, createdAt };
  }

  /** Returns what the decision sets on the user, with all metadata. @throws SignUpDisabledError */
  async admit(signUp: SignUp, ip: string | undefined): Promise<Admission> {
    const admission = await this.ask(signUp, ip);
    if (admission) return admission;
    const { email, method } = signUp;
    const address = email === null ? undefined : maskEmailAddress(email);
    this.logger.info({ event: 'sign_up_refused', method, address, ip }, 'a sign-up was refused');
    throw new SignUpDisabledError();
  }

  /**
   * Returns whether a mail to this address must not contain a code or link, because the address has no account and may not get one.
   * Asks about an address with an account too: otherwise the time that `allow` takes would reveal the account.
   */
  async refusesMail(signUp: SignUp & { email: string }, ip: string | undefined): Promise<boolean> {
    if (this.isOpen) return false;
    const [admission, user] = await Promise.all([this.ask(signUp, ip), this.users.findByEmail(signUp.email)]);
    return admission === null && user === null;
  }

  /** Renders the mail to an address that may not sign up. */
  refusal(appName: string): EmailContent {
    return this.options.refusedTemplate({ appName });
  }

  /**
   * Returns the application's fields of a sign-up, as they are stored.
   * @throws InvalidRequestError that names the field; InternalError if the schema fails.
   */
  parseFields(fields: Record<string, unknown> | undefined): Promise<Record<string, unknown>> {
    return parseFields(this.options.fields, fields);
  }

  /** Whether the policy allows every sign-up as it is. */
  get isOpen(): boolean {
    return this.options.enabled && !this.options.allow;
  }

  /** Returns null if the policy refuses. */
  private async ask(signUp: SignUp, ip: string | undefined): Promise<Admission | null> {
    const { allow, enabled } = this.options;
    if (!enabled) return null;
    const { metadata } = signUp;
    if (!allow) return { metadata };
    try {
      const answer: unknown = await withTimeout(allow(candidateOf(signUp, ip)), 'signUp.allow', timeoutMs);
      if (answer === false) return null;
      return answer === true ? { metadata } : decisionOf(answer, metadata);
    } catch (error) {
      const err = describeError(isServiceError(error) ? (error.cause ?? error) : error);
      this.logger.error(
        { event: 'sign_up_policy_failed', method: signUp.method, err },
        'signUp.allow failed',
      );
      return null;
    }
  }
}

/** What a decision sets on a user. */
export interface Admission {
  /** All metadata, that of the decision included. */
  metadata: Record<string, unknown>;
  /** The metadata of the decision alone. */
  merged?: Record<string, unknown>;
  /** Absent if the decision says nothing about roles. */
  roles?: string[];
}

/** Returns a copy: a change by the application must have no effect on what is stored. */
function candidateOf(signUp: SignUp, ip: string | undefined): SignUpCandidate {
  const { method, email, emailVerified, phone = null, profile = null, metadata, fields = {} } = signUp;
  const copies = { metadata: structuredClone(metadata), fields: structuredClone(fields) };
  return Object.freeze({ method, email, emailVerified, phone, profile, ...copies, ip: ip ?? null });
}

/** @throws Error unless the answer is `{ metadata, roles }` with valid values. `{ allowed: false }` must not allow anything. */
function decisionOf(answer: unknown, metadata: Record<string, unknown>): Admission {
  const names = isPlainObject(answer) ? Object.keys(answer) : [];
  if (!isPlainObject(answer) || names.length === 0 || names.some((name) => !decisionNames.includes(name)))
    throw new TypeError('signUp.allow must return true, false or { metadata, roles }.');
  const { roles } = answer;
  const merged = parseJsonObject(answer['metadata'], 'metadata');
  return {
    metadata: mergeMetadata(metadata, merged),
    merged,
    ...(roles !== undefined && { roles: parseUserRoles(roles) }),
  };
}

const decisionNames = ['metadata', 'roles'];
