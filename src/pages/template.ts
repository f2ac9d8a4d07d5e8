/** What templates are written with. `svc-auth/pages` exports all of it, so that a template of the package also compiles in an application. */
export { html, type Html, type Value } from '../html/html.js';
export { avatar, type AvatarView } from '../pages-kit/avatar.js';
export { checkBox, input, select, textArea } from '../pages-kit/fields.js';
export { accountForm, buttonForm } from './account/form.js';
export { accountIcons } from './account/icons.js';
export {
  ago,
  badge,
  day,
  dotted,
  linkButton,
  pageLinks,
  panel,
  row,
  sentences,
  when,
} from './account/parts.js';
export { codeInput } from './code-input.js';
export { newPasswordInput } from './new-password.js';
export { signUpFields } from './sign-up-inputs.js';
export { attempted, form, link } from './form.js';
export { brand } from './layout.js';
export { icons } from './icons.js';
export { phoneInput } from './phone-input.js';
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
  AccountActivityView,
  AccountAppsView,
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
  ImpersonationView,
  ListPages,
} from './account/views.js';
export type {
  AddressMethod,
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
  LinkView,
  MessageView,
  NewPasswordView,
  NotMeView,
  OtherMethods,
  PageSlots,
  PasskeySignUpView,
  PasswordView,
  PhoneCountries,
  PhoneCountry,
  PhoneView,
  ResetView,
  SecondStepView,
  SignInView,
  SignUpFieldView,
  SignUpSlot,
  SignUpView,
  StepView,
  TemplateFlow,
  TemplatePage,
  VerifyView,
} from './views.js';
export type { Templates } from './templates.js';
