/** `svc-auth/pages`: server-rendered pages for sign-in and accounts. Not loaded by `svc-auth`. */
export { createPages } from './pages/create-pages.js';
export { formToken } from './pages/form-token.js';
export type { PagesCaptcha, PagesOptions } from './pages/options.js';
export type { Paths } from './pages/paths.js';
export { en as englishTexts } from './pages/texts/en.js';
export type { Texts } from './pages/texts/texts.js';
export {
  attempted,
  brand,
  checkBox,
  codeInput,
  form,
  html,
  icons,
  input,
  link,
  providerIcon,
  usernameOf,
  type AddressMethod,
  type CardView,
  type ChallengeView,
  type ChoosePasswordView,
  type CodeView,
  type Html,
  type JoinView,
  type LinkView,
  type MessageView,
  type OtherMethods,
  type PageSlots,
  type PasskeySignUpView,
  type PasswordView,
  type PhoneView,
  type ResetView,
  type SecondStepView,
  type SignInView,
  type SignUpView,
  type StepView,
  type TemplateFlow,
  type TemplatePage,
  type Templates,
  type Value,
  type VerifyView,
} from './pages/template.js';
