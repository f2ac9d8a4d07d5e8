/**
 * The sign-up policy (docs/sign-up.md): asks the application before any account is created, and refuses whatever is not a clear yes.
 * Every method that creates a user gets the new record from here. Users whom an administrator creates are not asked about.
 */
import { uuidV7 } from '../../crypto/random.js';
import { maskEmailAddress } from '../../domain/email-address.js';
import { isPlainObject, mergeMetadata, parseJsonObject, parseMetadata } from '../../domain/metadata.js';
import { parseUserRoles } from '../../domain/user-roles.js';
import {
  FieldsRequiredError,
  InvalidRequestError,
  ProviderNotConfiguredError,
  SignUpDisabledError,
} from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import type { NewUser, UserRepository } from '../../storage/repositories.js';
import { signUpRefusedTemplate } from '../mail/email-templates.js';
import type { Render } from '../mail/languages.js';
import type { Mailer } from '../mail/mailer.js';
import type { RequestContext } from '../sessions/request-context.js';
import type { Clock } from '../support/clock.js';
import { describeError, type Logger } from '../support/logger.js';
import { withTimeout } from '../support/timeouts.js';
import { DisposableDomains } from './disposable-domains.js';
import type { InvitedSignUps } from './invited-sign-ups.js';
import { parseFields } from './sign-up-fields.js';
import type { SignUp, SignUpCandidate, SignUpOptions } from './sign-up-options.js';
import type { UnfinishedSignUps } from './unfinished-sign-ups.js';

const timeoutMs = 5_000;

export class SignUpPolicy {
  private readonly disposable: DisposableDomains;

  constructor(
    private readonly options: SignUpOptions,
    private readonly users: UserRepository,
    private readonly invites: InvitedSignUps,
    private readonly unfinished: UnfinishedSignUps,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.disposable = new DisposableDomains(options.disposable);
  }

  /** Checks that anyone may sign up. Call it before anything that depends on an account. @throws SignUpDisabledError */
  assertEnabled(): void {
    if (!this.options.enabled) throw new SignUpDisabledError();
  }

  /**
   * Checks what the address alone decides: it is not disposable, and it is invited if sign-up is closed. Call it before anything that
   * depends on an account. @throws SignUpDisabledError
   */
  async assertAddressAllowed(signUp: SignUp & { email: string }): Promise<void> {
    const isClosed = !this.options.enabled && !(await this.invites.admit(signUp));
    if (isClosed || this.disposable.include(signUp.email)) throw this.refused(isClosed ? null : signUp.email);
  }

  /** Whether sign-ups with a password must not reveal which addresses have an account. */
  get isPrivate(): boolean {
    return !this.options.revealExisting;
  }

  /**
   * Returns the record of a new user, for the storage to insert. A sign-up without `fields` is one of a method that has asked for none.
   * @throws SignUpDisabledError; FieldsRequiredError if such a sign-up lacks fields that the application requires. Guests need none.
   */
  async newUser(proven: SignUp, { ip, remember }: Pick<RequestContext, 'ip' | 'remember'>): Promise<NewUser> {
    const signUp = await this.withFields(proven, remember);
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
    throw this.refused(email);
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

  /**
   * Returns the function that renders the mail to an address that may not sign up. It always returns a mail: if it failed, only
   * addresses without an account would get an error.
   */
  refusal(mailer: Mailer): Render {
    return mailer.withFallback(this.options.refusedTemplate, signUpRefusedTemplate);
  }

  /**
   * Returns the function that renders a mail with a code or link. If some addresses get a refusal instead, the built-in mail replaces a
   * template that fails: an error would reveal which addresses have an account.
   */
  admission(mailer: Mailer, render: Render, builtIn: Render): Render {
    return this.isOpen ? render : mailer.withFallback(render, builtIn);
  }

  /**
   * Returns the application's fields of a sign-up, as they are stored.
   * @throws InvalidRequestError that names the field; InternalError if the schema fails.
   */
  parseFields(fields: Record<string, unknown> | undefined): Promise<Record<string, unknown>> {
    return parseFields(this.options.fields, fields);
  }

  /** @throws ProviderNotConfiguredError without `signUp.fields`. */
  assertFields(): void {
    if (!this.options.fields) throw new ProviderNotConfiguredError('signUp.fields');
  }

  /** Adds what the schema makes of no fields, or keeps the sign-up until it has them. */
  private async withFields(signUp: SignUp, remember: boolean | undefined): Promise<SignUp> {
    if (signUp.fields || !this.options.fields || signUp.method === 'guest') return signUp;
    const fields = await this.parseFields({}).catch((error: unknown) => {
      if (error instanceof InvalidRequestError) return null;
      throw error;
    });
    if (fields) return { ...signUp, fields, metadata: withFieldsOf(signUp, fields) };
    // What needs no fields is refused now: a user must not fill them in for nothing.
    if (!(await this.admitsAddress(signUp))) throw this.refused(signUp.email);
    throw new FieldsRequiredError(await this.unfinished.keep({ signUp, remember }));
  }

  /** Whether sign-up is open, or the user invited, and the address not disposable. */
  private async admitsAddress(signUp: SignUp): Promise<boolean> {
    if (!this.options.enabled && !(await this.invites.admit(signUp))) return false;
    return signUp.email === null || !this.disposable.include(signUp.email);
  }

  /** Whether the policy allows every sign-up as it is. */
  get isOpen(): boolean {
    return this.options.enabled && !this.options.allow && this.disposable.isEmpty;
  }

  /** The reason depends on the address alone. */
  private refused(email: string | null): SignUpDisabledError {
    const isDisposable = email !== null && this.disposable.include(email);
    return new SignUpDisabledError(isDisposable ? { reason: 'email_disposable' } : {});
  }

  /** Returns null if the policy refuses. */
  private async ask(signUp: SignUp, ip: string | undefined): Promise<Admission | null> {
    const { allow } = this.options;
    const { metadata } = signUp;
    if (!(await this.admitsAddress(signUp))) return null;
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

/**
 * Returns the metadata of a sign-up with its fields: below what the application has passed, and above what a provider knows of the user.
 * @throws InvalidRequestError if the result is too large.
 */
export function withFieldsOf(
  { hasProfileMetadata, metadata }: SignUp,
  fields: Record<string, unknown>,
): Record<string, unknown> {
  return parseMetadata(hasProfileMetadata ? { ...metadata, ...fields } : { ...fields, ...metadata });
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
