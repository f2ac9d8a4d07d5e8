/** The parts that a page needs to work, by template: a page without one of them would only fail when a user has filled it in. */
import { html, type Html } from '../html/html.js';
import type { Templates } from './templates.js';
import type { PageSlots, SignUpFieldView } from './views.js';

/** A form with the names of its fields, markup that must appear, or an attribute that the script looks for. */
export type TemplatePart =
  { form: string; fields: readonly string[] } | { property: string; text: string } | { attribute: string };

type Parts = {
  [Name in keyof Templates]: (
    page: Parameters<Templates[Name]>[0],
    view: NonNullable<Parameters<Templates[Name]>[1]>,
  ) => readonly TemplatePart[];
};

export const templateParts: Parts = {
  document: (_page, { content, files }) => [inserted('content', content), inserted('files', files)],
  card: (_page, { content }) => [inserted('content', content)],
  signIn: ({ paths }, { hasAddress }) => (hasAddress ? [form(paths.signIn, 'email')] : []),
  signUp: ({ paths, slots }, { fields, hasAddress, hasPassword }) =>
    hasAddress
      ? [form(paths.signUp, 'email', ...(hasPassword ? ['password', ...namesOf(fields, slots)] : []))]
      : [],
  password: ({ paths }) => [form(`${paths.signIn}/password`, 'password')],
  code: (_page, { action, hidden }) => [form(action, 'code', ...Object.keys(hidden))],
  link: (_page, { action, hasCode, hidden }) =>
    hasCode ? [form(action, 'code', ...Object.keys(hidden))] : [],
  phone: ({ paths }) => [form(`${paths.signIn}/phone`, 'phone')],
  completeSignUp: ({ paths, slots }, { fields }) => [
    form(`${paths.signUp}/complete`, ...namesOf(fields, slots)),
  ],
  passkeySignUp: ({ paths, slots }, { createsPasskey, fields, hasEmail, step }) => {
    const own = createsPasskey ? namesOf(fields, slots) : [];
    return step === 'code'
      ? [form(`${paths.signUp}/passkey/code`, 'email', 'code', ...own)]
      : [form(`${paths.signUp}/passkey`, ...(hasEmail ? ['email'] : []), ...own)];
  },
  secondStep: ({ paths }, { method, wasSent }) => [
    {
      totp: form(paths.twoFactor, 'code'),
      recovery: form(`${paths.twoFactor}/recovery`, 'code'),
      email: wasSent ? form(`${paths.twoFactor}/email`, 'code') : form(`${paths.twoFactor}/email/send`),
      passkey: form(`${paths.twoFactor}/passkey`),
    }[method],
  ],
  reset: ({ paths }) => [form(paths.reset, 'email')],
  choosePassword: ({ paths }, { proof }) => [
    'email' in proof
      ? form(`${paths.reset}/code`, 'code', 'password')
      : form(`${paths.reset}/choose`, 'token', 'password'),
  ],
  message: () => [],
  verify: ({ paths }) => [form(paths.verify, 'email', 'code')],
  join: ({ paths }, { step }) =>
    ({
      signIn: [],
      accept: [form(paths.join, 'token'), form(`${paths.join}/decline`, 'token')],
      change: [form(`${paths.join}/change`, 'token')],
      verify: [form(`${paths.join}/verify`, 'token')],
    })[step],
  joinEnded: ({ paths }, { next, token }) => [
    inserted('next.url', html`${next.url}`),
    ...(token === null ? [] : [form(`${paths.join}/change`, 'token')]),
  ],
  consent: ({ paths }, { continuesAt }) =>
    continuesAt === null
      ? [
          form(`${paths.consent}/allow`, 'request', 'user'),
          form(`${paths.consent}/deny`, 'request', 'user'),
          form(`${paths.consent}/change`, 'request'),
        ]
      : [inserted('continuesAt', html`${continuesAt}`)],
  device: ({ paths }, { step }) =>
    step === 'enter'
      ? [form(`${paths.device}/enter`, 'code')]
      : [
          form(`${paths.device}/allow`, 'code', 'user'),
          form(`${paths.device}/deny`, 'code', 'user'),
          form(`${paths.device}/change`, 'code'),
        ],
  challenge: (_page, { action, hasPassword, hidden, widget }) =>
    widget
      ? [
          form(action, ...Object.keys(hidden), ...(hasPassword ? ['password'] : [])),
          inserted('widget', widget),
        ]
      : [],
  linkConfirmation: (_page, { proof }) => [inserted('proof', html`${proof}`)],
  notMe: (_page, { proof }) => [inserted('proof', html`${proof}`)],
  error: () => [],
  impersonation: ({ paths }) => [form(`${paths.account}/impersonation`)],
  accountFrame: (_page, { content }) => [inserted('content', content)],
  accountProfile: () => [],
  accountSecurity: () => [],
  accountActivity: () => [],
  accountApps: () => [],
  accountDevices: () => [],
  accountTokens: () => [],
  accountOrganizations: () => [],
  accountOrganization: () => [],
  accountData: () => [],
  accountChange: (_page, { form: { action, fields } }) => [form(action, ...namesIn(html`${fields}`.text))],
  accountConfirm: (_page, { action, hasPassword }) => (hasPassword ? [form(action, 'current')] : []),
  accountConfirmSent: (_page, { form: code }) =>
    code ? [form(code.action, ...namesIn(html`${code.fields}`.text))] : [],
  accountAuthenticator: (_page, { action }) => [form(action, 'uri', 'code')],
  accountRecoveryCodes: (_page, { codes }) =>
    codes.map((code, index) => inserted(`codes[${index}]`, html`${code}`)),
  accountPasskey: () => [
    { attribute: 'data-passkey-add' },
    { attribute: 'data-passkey-message' },
    { attribute: 'data-passkey-name' },
  ],
  accountNewKey: (_page, { key }) => [inserted('key', html`${key}`)],
  accountLeaving: (_page, { url }) => [inserted('url', html`${url}`)],
  accountNotFound: () => [],
  accountDeleted: () => [],
};

/** The slot of the application has the names that it needs. */
function namesOf(fields: readonly SignUpFieldView[], { signUp }: PageSlots): string[] {
  return signUp ? [] : fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
}

function form(action: string, ...fields: string[]): TemplatePart {
  return { form: action, fields };
}

function inserted(property: string, { text }: Html): TemplatePart {
  return { property, text };
}

/** The names of the fields in markup. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(/\sname="([^"]*)"/g)].map(([, name = '']) => name);
}
