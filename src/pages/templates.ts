/** The templates, by name. The file of each has its name in kebab case. */
import type { Html } from '../html/html.js';
import type {
  AccountAuthenticatorView,
  AccountChangeView,
  AccountConfirmSentView,
  AccountConfirmView,
  AccountLeavingView,
  AccountNewKeyView,
  AccountRecoveryCodesView,
} from './account/change-views.js';
import type {
  AccountActivityView,
  AccountAppsView,
  AccountDevicesView,
  AccountFrameView,
  AccountOrganizationView,
  AccountOrganizationsView,
  AccountProfileView,
  AccountSecurityView,
  AccountTemplatePage,
  AccountTokensView,
  ImpersonationView,
} from './account/views.js';
import type {
  CardView,
  ChallengeView,
  ChoosePasswordView,
  CodeView,
  CompleteSignUpView,
  ConsentView,
  DeviceView,
  DocumentView,
  ErrorView,
  JoinEndedView,
  JoinView,
  LinkConfirmationView,
  NotMeView,
  LinkView,
  MessageView,
  PasskeySignUpView,
  PasswordView,
  PhoneView,
  ResetView,
  SecondStepView,
  SignInView,
  SignUpView,
  TemplatePage,
  VerifyView,
} from './views.js';

/** A template turns a page and a view into markup, and decides nothing else. */
export interface Templates {
  /** The document of every page. It must contain `files` and `content`. */
  document: (page: TemplatePage, view: DocumentView) => Html;
  /** The frame of every page of a signed-out user. */
  card: (page: TemplatePage, view: CardView) => Html;
  signIn: (page: TemplatePage, view: SignInView) => Html;
  signUp: (page: TemplatePage, view: SignUpView) => Html;
  password: (page: TemplatePage, view: PasswordView) => Html;
  /** For codes by email and by text message. */
  code: (page: TemplatePage, view: CodeView) => Html;
  link: (page: TemplatePage, view: LinkView) => Html;
  phone: (page: TemplatePage, view: PhoneView) => Html;
  /** The application's fields, after a proof that creates an account. */
  completeSignUp: (page: TemplatePage, view: CompleteSignUpView) => Html;
  passkeySignUp: (page: TemplatePage, view: PasskeySignUpView) => Html;
  secondStep: (page: TemplatePage, view: SecondStepView) => Html;
  reset: (page: TemplatePage, view: ResetView) => Html;
  choosePassword: (page: TemplatePage, view: ChoosePasswordView) => Html;
  /** A page without a form. */
  message: (page: TemplatePage, view: MessageView) => Html;
  verify: (page: TemplatePage, view: VerifyView) => Html;
  join: (page: TemplatePage, view: JoinView) => Html;
  /** An invite that is accepted, declined or no longer valid. */
  joinEnded: (page: TemplatePage, view: JoinEndedView) => Html;
  /** An application asks for access to the account, or the browser returns to it. */
  consent: (page: TemplatePage, view: ConsentView) => Html;
  /** A user enters the code of a device, and decides about it. */
  device: (page: TemplatePage, view: DeviceView) => Html;
  challenge: (page: TemplatePage, view: ChallengeView) => Html;
  /** The button with which a mailed link signs in. Scripts do not run on this page. */
  linkConfirmation: (page: TemplatePage, view: LinkConfirmationView) => Html;
  /** The page that asks before the link of a notice ends every session. It must keep `proof`. */
  notMe: (page: TemplatePage, view: NotMeView) => Html;
  /** A request that is refused, or that fails. If it throws, the one of the package is shown. */
  error: (page: TemplatePage, view: ErrorView) => Html;
  /** Above every page of an administrator who acts as a user: whose account it is, and the way out. */
  impersonation: (page: AccountTemplatePage, view: ImpersonationView) => Html;
  /** The frame of the account pages, with the navigation. */
  accountFrame: (page: AccountTemplatePage, view: AccountFrameView) => Html;
  accountProfile: (page: AccountTemplatePage, view: AccountProfileView) => Html;
  accountSecurity: (page: AccountTemplatePage, view: AccountSecurityView) => Html;
  /** What has happened to the account. */
  accountActivity: (page: AccountTemplatePage, view: AccountActivityView) => Html;
  /** The applications with access to the account. */
  accountApps: (page: AccountTemplatePage, view: AccountAppsView) => Html;
  accountDevices: (page: AccountTemplatePage, view: AccountDevicesView) => Html;
  accountTokens: (page: AccountTemplatePage, view: AccountTokensView) => Html;
  accountOrganizations: (page: AccountTemplatePage, view: AccountOrganizationsView) => Html;
  accountOrganization: (page: AccountTemplatePage, view: AccountOrganizationView) => Html;
  accountData: (page: AccountTemplatePage) => Html;
  /** For every page that makes one change: another password, the end of a passkey, a new organization. */
  accountChange: (page: AccountTemplatePage, view: AccountChangeView) => Html;
  /** Before a change that needs a recent sign-in. In the frame `card`. */
  accountConfirm: (page: AccountTemplatePage, view: AccountConfirmView) => Html;
  /** What was sent to sign in again: a code to enter, or a link to open. In the frame `card`. */
  accountConfirmSent: (page: AccountTemplatePage, view: AccountConfirmSentView) => Html;
  accountAuthenticator: (page: AccountTemplatePage, view: AccountAuthenticatorView) => Html;
  accountRecoveryCodes: (page: AccountTemplatePage, view: AccountRecoveryCodesView) => Html;
  accountPasskey: (page: AccountTemplatePage) => Html;
  accountNewKey: (page: AccountTemplatePage, view: AccountNewKeyView) => Html;
  /** Leads to an identity provider whose account is being connected. In the frame `card`. */
  accountLeaving: (page: AccountTemplatePage, view: AccountLeavingView) => Html;
  accountNotFound: (page: AccountTemplatePage) => Html;
  /** In the frame `card`. */
  accountDeleted: (page: AccountTemplatePage) => Html;
}
