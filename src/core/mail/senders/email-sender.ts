/** The interface to a mail service, and the types of mail templates. */
import type { OrgRole } from '../../../domain/org.js';
import type { Brand } from '../../support/brand.js';
import type { MailTexts } from '../texts/en.js';

export type EmailKind =
  | 'email_code'
  | 'magic_link'
  | 'password_reset'
  | 'org_invite'
  | 'user_invite'
  | 'sign_up_refused'
  | 'notice';

export interface EmailMessage {
  /** One canonical address. */
  to: string;
  /** Overrides the sender's default From. */
  from?: string;
  subject: string;
  html: string;
  text: string;
  kind: EmailKind;
  /**
   * Headers that the mail must have: `Auto-Submitted`, so that no one's automatic reply answers a code or a link (RFC 3834, 5). The
   * service sets them; pass them to your mail service.
   */
  headers?: Readonly<Record<string, string>>;
}

export interface EmailSender {
  /** Resolves if the message is accepted for delivery, and rejects if it is not. */
  send(message: EmailMessage): Promise<void>;
  /** Rejects if the service does not answer, or refuses the credentials. Sends nothing. Called by `service.diagnose()`. */
  verify?(): Promise<void>;
  /** Called by `service.close()`. */
  close?(): Promise<void>;
}

export interface EmailContent {
  subject: string;
  html: string;
  text: string;
}

/** What every template receives. */
export interface TemplateValues {
  /** The name of the brand. */
  appName: string;
  /** How the mail shows your product: the option `brand`, with its defaults. */
  brand: Brand;
  /** The language of the mail, as a language tag. */
  language: string;
  /** The sentences of the built-in mails in this language, for templates that change only the design. */
  texts: MailTexts;
}

export type CodeTemplate = (
  values: TemplateValues & {
    code: string;
    expiresInMinutes: number;
  },
) => EmailContent;
export type LinkTemplate = (
  values: TemplateValues & {
    url: string;
    expiresInMinutes: number;
  },
) => EmailContent;
export type MagicLinkTemplate = (
  values: TemplateValues & {
    url: string;
    expiresInMinutes: number;
    /** With `withCode`: a code that signs in like the link, and how long it is valid. */
    code?: string;
    codeExpiresInMinutes?: number;
  },
) => EmailContent;
export type ResetCodeTemplate = (
  values: TemplateValues & {
    code: string;
    /** Absent if the mail contains the code alone. */
    url?: string;
    expiresInMinutes: number;
  },
) => EmailContent;
export type OrgInviteTemplate = (
  values: TemplateValues & {
    url: string;
    expiresInMinutes: number;
    /** Name of the organization. Its creator chose it: escape it in HTML. */
    organization: string;
    role: OrgRole;
    /** Verified address of the inviter. Null if the system invites, or the address is unverified. */
    inviter: string | null;
  },
) => EmailContent;
/** A change of an account, for its user. The strings are in the language of the mail. */
export interface AccountEvent {
  /** Date and time, with the time zone. */
  time: string;
  /** Such as `Firefox on Linux`, from the user agent of the request. Null if it is unknown, and for changes by administrators. */
  device: string | null;
  /** What the option `locate` returned. */
  place: string | null;
  /**
   * With the option `notices`: the link “This wasn't me”, which ends every session of the account after a confirmation.
   * Absent if the address is unverified.
   */
  notMeUrl?: string;
}

/** What a notice reports. */
export type AccountChange =
  | 'password_added'
  | 'password_changed'
  | 'password_reset'
  /** By an administrator. */
  | 'password_set'
  | 'passkey_added'
  | 'passkey_removed'
  | 'totp_enabled'
  | 'totp_disabled'
  | 'totp_app_added'
  | 'totp_app_removed'
  | 'recovery_codes_replaced'
  | 'email_factor_enabled'
  | 'email_factor_disabled'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'phone_added'
  | 'phone_removed'
  | 'username_changed'
  /** To the new address. */
  | 'address_changed'
  /** To the previous address, if an administrator has changed it: otherwise it gets `account.addressChangedTemplate`. */
  | 'address_removed'
  | 'api_key_created'
  | 'trusted_browser_added'
  /** A sign-in from a device that the account has not used. */
  | 'new_device';

/** `about` is the name of an identity provider, or a masked phone number, if the change concerns one. */
export type AccountNoticeTemplate = (
  values: TemplateValues & {
    change: AccountChange;
    about: string | null;
    event: AccountEvent;
  },
) => EmailContent;

/** `phone` is masked. */
export type PhoneNoticeTemplate = (
  values: TemplateValues & {
    change: 'added' | 'removed';
    phone: string;
    event: AccountEvent;
  },
) => EmailContent;
export type NoticeTemplate = (values: TemplateValues) => EmailContent;
/** A notice of a change of the reader's account. */
export type EventTemplate = (values: TemplateValues & { event: AccountEvent }) => EmailContent;
