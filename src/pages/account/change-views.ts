/** What the templates of changes of the account get. Paths are below that of the pages. */
import type { Html, Value } from '../../html/html.js';
import type { Attempt } from '../../pages-kit/attempt.js';

export interface AccountFormOptions {
  /** Below the path of the pages. */
  action: string;
  fields?: Value;
  submit: string;
  kind?: 'primary' | 'plain' | 'danger';
  /** The path of the page to return to without a change. */
  cancel?: string;
}

/** A page that makes one change, after its form is sent. */
export interface AccountChangeView {
  /** What the change is about: the name of a passkey, the address of a member. */
  subject: string | null;
  /** What happens. */
  lead: Value;
  /** A further sentence. */
  note: Value;
  /** Below the sentences: a list, and what stands in the way. */
  details: Value;
  form: AccountFormOptions;
  below: Value;
}

/** Asks a user to sign in again, with what the account has. */
export interface AccountConfirmView {
  title: string;
  attempt: Attempt | null;
  /** Why a passkey or an identity provider was refused. */
  refusal: string | null;
  user: string;
  /** Guests cannot sign in again. Null if the user is not a guest. */
  guest: { canUpgrade: boolean } | null;
  /** Below that of the pages: the section of the page that was asked for. */
  cancelPath: string;
  /** The form of the password. The forms of other methods are below it. */
  action: string;
  hasPassword: boolean;
  byMail: 'code' | 'link' | null;
  hasPhone: boolean;
  hasPasskey: boolean;
  providers: readonly { id: string; label: string; icon: Html; url: string }[];
}

/** The second step of signing in again. */
export interface AccountConfirmSentView {
  title: string;
  lead: Value;
  /** Where the code is entered. Null after a link was mailed. */
  form: AccountFormOptions | null;
  /** To send it again, and the other methods. */
  below: Value;
}

/** Leads to the page of an identity provider. */
export interface AccountLeavingView {
  /** The name of the provider. */
  provider: string;
  url: string;
}

export interface AccountAuthenticatorView {
  attempt: Attempt | null;
  /** The form of the code. */
  action: string;
  /** What the authenticator app scans, and the link that opens one. */
  uri: string;
  /** Null without the optional package. */
  qrCode: Html | null;
  /** The secret, in groups. */
  key: string;
  /** Whether the app turns two-factor authentication on. */
  isFirst: boolean;
}

export interface AccountRecoveryCodesView {
  codes: readonly string[];
  /** Whether two-factor authentication was turned on with them. */
  isNew: boolean;
  /** The user, on paper. */
  owner: string;
  /** The codes as a link, which works without a script. */
  downloadUrl: string;
}

export interface AccountNewKeyView {
  key: string;
  donePath: string;
}
