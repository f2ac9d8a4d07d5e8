/** A new password with a mailed link or code: the request for it, and the page on which the password is chosen. */
import { requiredCode } from '../code-input.js';
import { FieldError, type Attempt } from '../../pages-kit/attempt.js';
import { internals } from '../../core/internals.js';
import { isServiceError } from '../../errors/service-error.js';
import type { Features } from '../features.js';
import { sentenceFor } from '../form-errors.js';
import { definePage, goTo, type Next, type View, type Visit } from '../page.js';
import { noteSent, resendPause } from '../sent.js';
import { strong } from '../sign-in/code-view.js';
import type { ChoosePasswordView } from '../views.js';

export const resetPage = definePage({
  path: ({ reset }) => reset,
  access: 'open',
  // Also without resets: the link of an invite leads here.
  isOffered: ({ password }) => password !== null,
  async show(visit, attempt) {
    const token = attempt?.values.get('token') ?? visit.query.get('token');
    if (token !== null) return openLink(visit, attempt, token);
    const { features, paths, query, texts } = visit;
    const error = query.get('error') ?? '';
    if (features.passwordReset === null)
      return goTo(paths.signIn + (error && `?error=${encodeURIComponent(error)}`));
    return askForMail(visit, attempt, sentenceFor(error, texts));
  },
  forms: {
    '': {
      access: 'open',
      async submit(values, visit) {
        const email = (values.get('email') ?? '').trim();
        if (email === '') throw new FieldError('email', visit.texts.errors.emailMissing);
        return sendMail(visit, email);
      },
    },
    choose: {
      access: 'open',
      async submit(values, visit) {
        const { context, features, paths, service, texts } = visit;
        const newPassword = values.get('password') ?? '';
        if (newPassword === '') throw new FieldError('password', texts.errors.passwordMissing);
        const token = values.get('token') ?? '';
        const { isFirst } = await service[internals].readResetLink(token);
        try {
          await features.password!.setPassword({ token, newPassword }, context);
        } catch (error) {
          if (!isServiceError(error) || error.code !== 'token_invalid') throw error;
          // The form cannot succeed any more: the page asks for the address again.
          return goTo(`${paths.reset}?error=${error.code}`);
        }
        return goTo(`${paths.reset}/done${isFirst ? '?password=first' : ''}`);
      },
    },
  },
});

export const resetCodePage = definePage({
  path: ({ reset }) => `${reset}/code`,
  access: 'open',
  isOffered: hasCode,
  show(visit, attempt) {
    const { email } = visit.flow;
    return email === undefined ? goTo(visit.paths.reset) : choosePassword(visit, attempt, { email }, email);
  },
  forms: {
    '': {
      access: 'open',
      async submit(values, visit) {
        const { context, features, flow, paths, texts } = visit;
        const email = values.get('email') ?? '';
        flow.email = email;
        const code = requiredCode(values, texts);
        const newPassword = values.get('password') ?? '';
        if (newPassword === '') throw new FieldError('password', texts.errors.passwordMissing);
        await features.password!.setPassword({ email, code, newPassword }, context);
        return goTo(`${paths.reset}/done`);
      },
    },
    again: {
      access: 'open',
      async submit(_values, visit) {
        const { email } = visit.flow;
        return email === undefined ? goTo(visit.paths.reset) : sendMail(visit, email);
      },
    },
  },
});

async function sendMail(visit: Visit, email: string): Promise<Next> {
  const { context, features, paths } = visit;
  await features.password!.requestReset({ email }, context);
  visit.keep({ email });
  noteSent(visit, 'password_reset', email);
  return goTo(`${paths.reset}/${hasCode(features) ? 'code' : 'sent'}`);
}

export const resetSentPage = definePage({
  path: ({ reset }) => `${reset}/sent`,
  access: 'open',
  isOffered: ({ password }) => password !== null,
  show(visit) {
    const { flow, paths, templates, texts } = visit;
    if (flow.email === undefined) return goTo(paths.reset);
    const title = texts.checkEmail.title;
    const body = templates.message(visit, {
      title,
      lead: texts.reset.sent(strong(flow.email)),
      links: [
        { path: paths.reset, label: texts.reset.again },
        { path: paths.signIn, label: texts.back },
      ],
    });
    return { title, body };
  },
});

export const resetDonePage = definePage({
  path: ({ reset }) => `${reset}/done`,
  access: 'open',
  isOffered: ({ password }) => password !== null,
  show(visit) {
    const { paths, query, templates, texts } = visit;
    const { first } = texts.reset;
    const isFirst = query.get('password') === 'first';
    const [title, lead] = isFirst ? [first.done, first.doneLead] : [texts.reset.done, texts.reset.doneLead];
    const links = [{ path: paths.signIn, label: texts.signIn.submit }];
    return { title, body: templates.message(visit, { title, lead, links, hasButton: true }) };
  },
});

function hasCode({ passwordReset }: Features): boolean {
  return passwordReset === 'code' || passwordReset === 'both';
}

/** @param refusal why a mailed link was refused. */
function askForMail(visit: Visit, attempt: Attempt | null, refusal: string | null): View {
  const { features, flow, templates, texts } = visit;
  const { title } = texts.reset;
  // A user name is not an address.
  const email = flow.email?.includes('@') ? flow.email : '';
  const view = { title, attempt, refusal: attempt ? null : refusal, email, hasCode: hasCode(features) };
  return { title, body: templates.reset(visit, view) };
}

/** A link that can set no password says so at once, before one is typed and a password manager keeps it. The link is not used. */
async function openLink(visit: Visit, attempt: Attempt | null, token: string): Promise<View | Next> {
  const { status, email, isFirst } = await visit.service[internals].readResetLink(token);
  if (status === 'valid') {
    const { choose, first } = visit.texts.reset;
    return choosePassword(visit, attempt, { token }, email, isFirst ? first.choose : choose);
  }
  const code = status === 'expired' ? 'code_expired' : 'token_invalid';
  return goTo(`${visit.paths.reset}?error=${code}`);
}

/** @param username for password managers. */
function choosePassword(
  visit: Visit,
  attempt: Attempt | null,
  proof: ChoosePasswordView['proof'],
  username: string,
  title = visit.texts.reset.choose,
): View {
  const { estimatorPath, features, paths, templates } = visit;
  const { minPasswordLength } = features;
  const resend = 'email' in proof ? `${paths.reset}/code/again` : null;
  const resendIn = resendPause(visit, 'password_reset', username);
  const view = { title, attempt, proof, username, minPasswordLength, estimatorPath, resend, resendIn };
  return { title, body: templates.choosePassword(visit, view) };
}
