/** The options of the sign-up policy, and what the application is asked about. */
import * as z from 'zod';
import type { ServiceIdentity, SignUpProfile } from '../../domain/identity.js';
import { challengeOptions } from '../limits/challenge-options.js';
import { signUpRefusedTemplate } from '../mail/email-templates.js';
import type { NoticeTemplate } from '../mail/senders/email-sender.js';
import { functionOption } from '../support/option-types.js';
import { disposableOptions } from './disposable-domains.js';
import { fieldsOption } from './sign-up-fields.js';

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
  /** The result of `signUp.fields`. Empty for a guest, and before a mail with a code or a link: the fields follow its proof. */
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
      "Your fields of a new account: a zod object, a Standard Schema, or an object with `safeParse`. No account is created without the required ones, by any method; unknown fields are refused, and the result is stored in the user's metadata: [your own fields](sign-up.md#your-own-fields).",
    ),
  revealExisting: z
    .boolean()
    .default(true)
    .describe(
      'Whether a sign-up with a password returns 409 `email_exists` for an address that has an account. If false, every sign-up is confirmed by a mailed code, and the response is the same for every address: [private sign-up](sign-up.md#private-sign-up).',
    ),
  disposable: disposableOptions
    .prefault({})
    .describe(
      'Refuses new accounts with disposable addresses: [disposable addresses](sign-up.md#disposable-addresses).',
    ),
  challenge: challengeOptions
    .optional()
    .describe(
      'A challenge such as a captcha for clients that sign up or request mails often: [challenges](sign-up.md#challenges).',
    ),
  refusedTemplate: functionOption<NoticeTemplate>()
    .default(() => signUpRefusedTemplate)
    .meta({
      description:
        'Renders the mail to an address that may not sign up, from `{ appName }`. If it fails, the built-in mail is sent.',
      defaultText: 'the built-in mail',
    }),
});

export type SignUpOptions = z.output<typeof signUpOptions>;

/** A sign-up as a provider describes it. */
export interface SignUp extends Pick<SignUpCandidate, 'method' | 'email' | 'emailVerified'> {
  /** Checked by `parseMetadata`. */
  metadata: Record<string, unknown>;
  phone?: string;
  profile?: SignUpProfile | undefined;
  fields?: Record<string, unknown>;
  /** Whether the metadata is the name and the picture of the profile, in whose place the user may have typed others. */
  hasProfileMetadata?: boolean;
  /** The token of an invite, if the client sent one: it admits its address although sign-up is closed. */
  inviteToken?: string | undefined;
  /** The phone number or the account at a provider with which the user signs in. */
  account?: Pick<ServiceIdentity, 'provider' | 'providerAccountId'> | undefined;
}
