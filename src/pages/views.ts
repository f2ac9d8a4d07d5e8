/** What the templates of the sign-in pages and of the document get. A template turns a page and a view into markup, and decides nothing else. */
import type { StepView } from './step-view.js';
import type { Html, Value } from '../html/html.js';
import type { Attempt } from '../pages-kit/attempt.js';
import type { Paths } from './paths.js';
import type { SignUpFieldType } from './sign-up/field-options.js';
import type { Texts } from './texts/texts.js';

/** Markup of the application at fixed places of the pages. Write it with the tag `html`, which escapes every value. */
export interface PageSlots {
  /** Next to the card of the sign-in pages, on wide screens. */
  signInAside?: (page: TemplatePage) => Html;
  /** In place of the fields of `signUp.fields` in the forms of a sign-up: inputs with the names `fields.company` and so on. */
  signUp?: (form: SignUpSlot) => Html;
  /** At the end of every page. */
  footer?: (page: TemplatePage) => Html;
}

/** The form in which the slot `signUp` is rendered. */
export interface SignUpSlot {
  /** The language tag of the page. */
  language: string;
  /** What was typed and refused: `attempted(attempt, 'fields.company')` returns both for an input. */
  attempt: Attempt | null;
}

/** What every template knows of the application and the request. */
export interface TemplatePage {
  name: string;
  /** The paths of the logo; one path twice if there is no other for dark pages. */
  logo: { light: string; dark: string } | null;
  /** Where users find help. Null if the application has not said it. */
  supportUrl: string | null;
  homeUrl: string;
  /** Where the JSON routes are mounted. */
  authPath: string;
  /** Where the pages are mounted, without a slash at the end. Paths of pages are below it. */
  base: string;
  paths: Paths;
  /** The language tag. */
  language: string;
  texts: Texts;
  slots: PageSlots;
  /** What the browser has begun. */
  readonly flow: Readonly<TemplateFlow>;
}

export interface TemplateFlow {
  /** The token of the forms of this browser, which `form` adds. */
  formToken: string;
  /** The address or user name that was typed. */
  email?: string;
  phone?: string;
  /** The path at which the sign-in arrives. */
  next?: string;
  /** False if the browser forgets the session when it closes. */
  remember?: boolean;
  /** Present if the code that was mailed last has ten letters. */
  codeFormat?: 'letters';
  /** Present if the sign-in with a phone number was chosen on the page of the sign-up. */
  from?: 'sign-up';
  /** Names the account that a page of the sign-in was shown to, for the forms of a tab that is left open. */
  account?: string;
}

/** A method of the sign-in that needs an address. */
export type AddressMethod = 'password' | 'code' | 'link';

export interface OtherMethods {
  /** The identity providers, with the URLs that start them. */
  providers: readonly {
    id: string;
    label: string;
    /** The logo, an image of the application, or a letter. */
    icon: Html;
    /** Whether the last sign-in in this browser was with it. */
    isLastUsed: boolean;
    url: string;
    /** Starts a sign-in that the browser forgets when it closes. Null if the page does not ask for that. */
    unrememberedUrl: string | null;
  }[];
  /** Whether they are a grid below the address, so that its field is not far down the page. */
  hasManyProviders: boolean;
  /** How the last sign-in in this browser began, if not with an identity provider. Null if the page does not show it. */
  lastUsed: 'address' | 'passkey' | 'phone' | null;
  /** Sign-in with a passkey. */
  hasPasskey: boolean;
  /** Sign-up with a passkey. */
  hasPasskeySignUp: boolean;
  /** The path of the sign-in with a code in a text message. Null without it. */
  phonePath: string | null;
}

export interface SignInView extends StepView {
  /** Why a sign-in with a passkey, a link or an identity provider was refused. */
  refusal: string | null;
  /** What has happened, and is not a refusal: a session has ended, or the user has canceled a sign-in. */
  notice: string | null;
  /** Whether the visitor is a guest, whose work does not move to an account that exists. */
  isGuest: boolean;
  /** Whether the visitor may create an account. */
  canSignUp: boolean;
  /** Whether a method needs an address. Without one, the page has no form. */
  hasAddress: boolean;
  /** Whether users can enter their user name instead. */
  hasUsernames: boolean;
  /** Whether passkeys are among the suggestions of the browser. */
  hasAutofill: boolean;
  /** Whether to ask how long the browser keeps the session. */
  asksToRemember: boolean;
  others: OtherMethods;
}

/** A field of `signUp.fields` in a form. */
export interface SignUpFieldView {
  /** In the form: `fields.company`, for example. */
  name: string;
  type: SignUpFieldType;
  label: string | Html;
  help: string | Html | null;
  isRequired: boolean;
  /** Of a `select`: values and labels. */
  choices: readonly (readonly [value: string, label: string])[];
  autocomplete?: string;
  maxLength?: number;
}

/** The field of a new password. */
export interface NewPasswordView {
  minPasswordLength: number;
  /** The path of the estimator of strength below that of the pages. Null without its optional packages. */
  estimatorPath: string | null;
}

export interface SignUpView extends StepView, NewPasswordView {
  hasPassword: boolean;
  /** The application's fields, which `signUpFields` renders. */
  fields: readonly SignUpFieldView[];
  hasUsernames: boolean;
  /** Whether there is a method that needs the form. */
  hasAddress: boolean;
  /** Whether the visitor is a guest, whose account gets the address. */
  isGuest: boolean;
  /** Whether the user name alone is enough. */
  isEmailOptional: boolean;
  /** The masked address of the invitation that has led here. Null without one. */
  invitedAddress: string | null;
  others: OtherMethods;
}

export interface PasswordView extends StepView {
  email: string;
  /** The length of the code that was mailed because of too many wrong passwords. Null if none is needed. */
  codeDigits: number | null;
  /** Whether passwords can be reset. */
  canReset: boolean;
  otherMethods: readonly AddressMethod[];
  /** The method with which the last sign-in in this browser began, if it needs an address. */
  lastUsed: AddressMethod | null;
}

/** A page on which a code is entered that was sent to the user. */
export interface CodeView extends StepView {
  lead: Value;
  /** The form of the code. */
  action: string;
  /** What the form sends besides the code. */
  hidden: Readonly<Record<string, string>>;
  /** The length of a code of digits. */
  digits: number;
  /** Whether the code has ten letters instead. */
  hasLetters: boolean;
  /** The form that sends another code. */
  resend: string | null;
  /** For how many seconds its button waits. */
  resendIn: number;
  /** The path of the page for another address. */
  otherAddress: { path: string; label: string } | null;
  /** The web mail of the address. */
  webMail: { name: string; url: string } | null;
  /** The form paths of the other methods. */
  current: AddressMethod | null;
  otherMethods: readonly AddressMethod[];
  /** The method with which the last sign-in in this browser began, if it needs an address. */
  lastUsed: AddressMethod | null;
  /** The application's fields, if the code creates the account of a guest. */
  fields?: readonly SignUpFieldView[];
}

export interface LinkView extends CodeView {
  /** Whether the mail also has a code. */
  hasCode: boolean;
  /** The script asks this URL whether the link was opened. */
  statusUrl: string;
  /** Where the page continues then. */
  arriveUrl: string;
  /** For how many seconds the link is valid. Null if this browser does not know when it was sent. */
  expiresIn: number | null;
}

/** A country whose phone numbers are accepted. */
export interface PhoneCountry {
  /** ISO 3166-1, two letters. */
  code: string;
  /** In the language of the page. */
  name: string;
  /** Such as `+49`. */
  callingCode: string;
}

export interface PhoneCountries {
  /** Sorted by name. */
  countries: readonly PhoneCountry[];
  /** The code of the chosen one. */
  country: string;
}

export interface PhoneView extends StepView, PhoneCountries {
  /** The path of the page from which the visitor came. */
  backPath: string;
}

/** The step after a proof that creates an account: the application's fields. */
export interface CompleteSignUpView extends StepView {
  fields: readonly SignUpFieldView[];
}

export interface PasskeySignUpView extends StepView {
  /** The application's fields, which `signUpFields` renders next to the button that creates the passkey. */
  fields: readonly SignUpFieldView[];
  /** `start` asks for the address and the user name, `code` for the mailed code. */
  step: 'start' | 'code';
  email: string | null;
  hasEmail: boolean;
  hasUsernames: boolean;
  /** Whether the form creates the passkey. Otherwise it mails a code. */
  createsPasskey: boolean;
  digits: number;
  /** Whether the code has ten letters instead of digits. */
  hasLetters: boolean;
  /** The form that sends another code. Null before the first one. */
  resend: string | null;
  /** For how many seconds its button waits. */
  resendIn: number;
}

export interface SecondStepView extends StepView {
  /** The address of the account: as this browser has typed it, else masked. Null if it has none. */
  account: string | null;
  method: 'totp' | 'recovery' | 'email' | 'passkey';
  /** For `email`: whether a code was sent for this sign-in. */
  wasSent: boolean;
  /** For how many seconds the button that sends another one waits. */
  resendIn: number;
  digits: number;
  /** For how many days the user can trust this browser. Null if the application does not offer it. */
  trustDays: number | null;
  otherMethods: readonly ('totp' | 'recovery' | 'email' | 'passkey')[];
}

export interface ResetView extends StepView {
  /** Why a mailed link was refused. */
  refusal: string | null;
  email: string;
  /** Whether the mail contains a code. It can contain a link too. */
  hasCode: boolean;
}

export interface ChoosePasswordView extends StepView, NewPasswordView {
  /** The token of the mailed link, or the address to which a code was mailed. */
  proof: { token: string } | { email: string };
  /** The address of the account, for password managers. Null if the link is malformed or expired. */
  username: string | null;
  /** The form that sends another code. Null with a link. */
  resend: string | null;
  /** For how many seconds its button waits. */
  resendIn: number;
}

export interface MessageView {
  title: string;
  lead: Value;
  /** Further sentences. */
  details?: readonly Value[];
  links: readonly { path: string; label: string }[];
  /** Whether the first link is a button. */
  hasButton?: boolean;
  /** Whether the user needs the support, if `supportUrl` is configured. */
  needsSupport?: boolean;
}

export interface ErrorView {
  /** Also the title of the document. */
  title: string;
  message: string;
  /** Whether the browser has a session: the account is the way on, and not the sign-in. */
  isSignedIn: boolean;
}

/** Before a mailed link signs in, in another browser than the one that asked for it. Without a script: the policy allows none. */
export interface LinkConfirmationView {
  /** Also the title of the document. */
  title: string;
  /** The masked address. */
  email: string;
  /** The field `proof` of the form, which posts to the address of the page: write no `action`. */
  proof: string;
}

/** The button of a notice's link “This wasn't me”. The words are those of the mails. */
export interface NotMeView {
  title: string;
  /** Contains the masked address, in bold. */
  lead: Value;
  submit: string;
  /** For a reader who recognizes the activity. */
  ignore: string;
  /** Shows that the form of the page belongs to this browser and this link. */
  proof: string;
}

export interface VerifyView extends StepView {
  /** `code` asks for the mailed code, `address` for another address. */
  step: 'code' | 'address';
  /** The path to which the form posts. */
  action: string;
  /** The address to verify. */
  email: string;
  digits: number;
  /** The form that sends another code. Null if nothing can send it. */
  resend: string | null;
  /** For how many seconds its button waits. */
  resendIn: number;
  /** The path of the step for another address. Null if the account cannot change it. */
  addressPath: string | null;
  /** Where the user continues without a verification. Null if the application requires it. */
  laterUrl: string | null;
  /** The form that signs this browser out. */
  signOut: string;
}

export interface JoinView extends StepView {
  organization: string;
  role: 'owner' | 'admin' | 'member';
  /** The address of the inviter, masked unless the invited user is signed in. Null if it is unknown. */
  inviter: string | null;
  /** The invited address, masked like that of the inviter. */
  email: string;
  token: string;
  /** What the visitor does next: sign in, accept, sign in with the invited address instead, or verify the address. */
  step: 'signIn' | 'accept' | 'change' | 'verify';
  /** The address of the signed-in account, if there is one. */
  currentEmail: string | null;
  /** Leads to the sign-in and back. */
  signInPath: string;
}

export interface JoinEndedView {
  /** Also the title of the document. */
  title: string;
  lead: string | null;
  /** The button. */
  next: { url: string; label: string };
  /** The page of the organization, for a member. */
  organizationPath: string | null;
  /** The token of the invite, if the user can open it with another account. */
  token: string | null;
}

export interface ChallengeView extends StepView {
  /** The form that needs the solution. */
  action: string;
  /** The fields of that form. */
  hidden: Readonly<Record<string, string>>;
  /** Whether the form has a password, which is typed again: no page contains one. */
  hasPassword: boolean;
  /** The captcha of the application. Null if the browser has to run a script. */
  widget: Html | null;
}

export type { CardView, DocumentView } from './frame-views.js';
export type { ConsentView, DeviceView } from './consent/views.js';
export type { StepView };
