/** What templates are written with. `svc-auth/pages` exports all of it, so that a template of the package also compiles in an application. */
export { html, type Html, type Value } from '../html/html.js';
export { avatar, type AvatarView } from '../pages-kit/avatar.js';
export { checkBox, input } from '../pages-kit/fields.js';
export { accountForm, buttonForm } from './account/form.js';
export { accountIcons } from './account/icons.js';
export { badge, dotted, linkButton, pageLinks, panel, row, when } from './account/parts.js';
export { codeInput } from './code-input.js';
export { attempted, form, link } from './form.js';
export { brand } from './layout.js';
export { icons } from './icons.js';
export { providerIcon } from './provider-icon.js';
export { usernameOf } from './sign-in/identity.js';
export type {
  AccountAuthenticatorView,
  AccountChangeView,
  AccountConfirmSentView,
  AccountConfirmView,
  AccountFormOptions,
  AccountLeavingView,
  AccountNewKeyView,
  AccountRecoveryCodesView,
} from './account/change-views.js';
export type {
  AccountDevicesView,
  AccountFrameView,
  AccountKeyView,
  AccountOrganizationsView,
  AccountOrganizationView,
  AccountPasskeyView,
  AccountProfileView,
  AccountSection,
  AccountSecurityView,
  AccountTemplatePage,
  AccountTokensView,
  AccountTwoFactorView,
  ListPages,
} from './account/views.js';
export type {
  AddressMethod,
  CardView,
  ChallengeView,
  ChoosePasswordView,
  CodeView,
  DocumentView,
  ErrorView,
  JoinView,
  LinkView,
  MessageView,
  OtherMethods,
  PageSlots,
  PasskeySignUpView,
  PasswordView,
  PhoneView,
  ResetView,
  SecondStepView,
  SignInView,
  SignUpView,
  StepView,
  TemplateFlow,
  TemplatePage,
  VerifyView,
} from './views.js';
export type { Templates } from './templates.js';
