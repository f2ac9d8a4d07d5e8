/** The options of sessions, tokens, keys, organizations and accounts. */
import type {
  CodeTemplate,
  EmailSender,
  EventTemplate,
  NoticeTemplate,
  OrgInviteTemplate,
} from '../core/mail/senders/email-sender.js';
import type { ServiceUser } from '../domain/user.js';

export interface SessionsConfig {
  /** Whether an administrator may impersonate a user. If absent, impersonation is refused. */
  canImpersonate?: ((admin: ServiceUser, target: ServiceUser) => boolean | Promise<boolean>) | undefined;
  /**
   * Whether visitors can become guests. If false, no new guest is created; existing ones stay. Default:
   * `true`.
   */
  guests?: boolean | undefined;
}

export interface RefreshConfig {
  /** Lifetime of an access token in milliseconds. Default: `900000` (15 minutes). */
  accessTtlMs?: number | undefined;
  /**
   * Lifetime of a token family in milliseconds; rotation does not extend it. Default: `2592000000` (30 days).
   */
  ttlMs?: number | undefined;
  /**
   * How long the previous refresh token still returns the current one, in milliseconds; 0 = strict. Default:
   * `10000` (10 seconds).
   */
  graceMs?: number | undefined;
}

export interface ApiKeysConfig {
  /**
   * The scopes that users may give to the keys they create: any user may choose any of them. `create` without
   * an acting user accepts other scopes too. Default: `[]`.
   */
  scopes?: readonly string[] | undefined;
  /**
   * Whether keys of another system are accepted, which an import has brought. Every string that is not a key of
   * the service then costs a query. Default: `false`.
   */
  foreign?: boolean | undefined;
  /**
   * Whether users with an unverified address may create keys. Such a key remains valid until the owner of the
   * address verifies it. Default: `false`.
   */
  allowUnverified?: boolean | undefined;
}

export interface OrgsConfig {
  /** Delivers invites. They are mailed if `inviteUrl` is also set. */
  sender?: EmailSender | undefined;
  /** Your page that reads `token` and lets the signed-in user accept the invite. */
  inviteUrl?: string | undefined;
  /**
   * Renders the mail from `{ url, expiresInMinutes, appName, organization, role, inviter }`. Default: the
   * built-in mail.
   */
  template?: OrgInviteTemplate | undefined;
  /**
   * Which users may create organizations: `true` for all, `'roles'` for users with any role in your
   * application, a list such as `['admin']` for users with one of these roles, `false` for none. Your own
   * code, without an acting user, always may. Default: `true`.
   */
  create?: boolean | string[] | 'roles' | undefined;
  /**
   * Whether users with an unverified address may create organizations, invite and add members. They are not
   * removed when the account is reclaimed. Default: `false`.
   */
  allowUnverified?: boolean | undefined;
}

export interface AccountConfig {
  /** Delivers codes for addresses of accounts. Required only to verify or change an address. */
  sender?: EmailSender | undefined;
  /** Overrides the sender's From. */
  from?: string | undefined;
  /**
   * Renders the mail that verifies an address, from `{ code, expiresInMinutes, appName }`. Default: the
   * built-in mail.
   */
  verificationTemplate?: CodeTemplate | undefined;
  /**
   * Renders the mail to the new address when an address is changed, from `{ code, expiresInMinutes, appName
   * }`. Default: the built-in mail.
   */
  newAddressTemplate?: CodeTemplate | undefined;
  /**
   * Renders the mail to the current address when an address is changed, from `{ code, expiresInMinutes,
   * appName }`. It says what to do if the user did not request the change. Default: the built-in mail.
   */
  leavingAddressTemplate?: CodeTemplate | undefined;
  /**
   * Renders the mail to a new address that already has an account, from `{ appName }`. It contains no code.
   * Default: the built-in mail.
   */
  addressInUseTemplate?: NoticeTemplate | undefined;
  /**
   * Renders the notice to the previous address after a change, from `{ appName, event }`. Default: the built-in
   * mail.
   */
  addressChangedTemplate?: EventTemplate | undefined;
}
