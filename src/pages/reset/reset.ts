/** A new password with a mailed link: the request for the link, and the page to which it leads. */
import { html } from '../../html/html.js';
import { input } from '../../pages-kit/fields.js';
import { attempted, form, link } from '../form.js';
import { goTo, type Page, type View, type Visit } from '../page.js';
import { FieldError, type Attempt } from '../../pages-kit/attempt.js';

export const resetPage: Page = {
  path: ({ reset }) => reset,
  isOffered: ({ password }) => password !== null,
  show(visit, attempt) {
    const token = attempt?.values.get('token') ?? visit.query.get('token');
    return token === null ? askForLink(visit, attempt) : choosePassword(visit, attempt, token);
  },
  forms: {
    async ''(values, visit) {
      const { context, features, paths, texts } = visit;
      const email = (values.get('email') ?? '').trim();
      if (email === '') throw new FieldError('email', texts.errors.emailMissing);
      await features.password!.requestReset({ email }, context);
      visit.keep({ email });
      return goTo(`${paths.reset}/sent`);
    },
    async choose(values, visit) {
      const { context, features, paths, texts } = visit;
      const newPassword = values.get('password') ?? '';
      if (newPassword === '') throw new FieldError('password', texts.errors.passwordMissing);
      await features.password!.setPassword({ token: values.get('token') ?? '', newPassword }, context);
      return goTo(`${paths.reset}/done`);
    },
  },
};

export const resetSentPage: Page = {
  path: ({ reset }) => `${reset}/sent`,
  isOffered: ({ password }) => password !== null,
  show(visit) {
    const { flow, paths, texts } = visit;
    if (flow.email === undefined) return goTo(paths.reset);
    const title = texts.checkEmail.title;
    const body = html`<h1>${title}</h1>
      <p class="lead">${texts.reset.sent(html`<strong><bdi>${flow.email}</bdi></strong>`)}</p>
      <p class="below row">
        ${link(visit, paths.reset, texts.checkEmail.otherAddress)} ${link(visit, paths.signIn, texts.back)}
      </p>`;
    return { title, body };
  },
};

export const resetDonePage: Page = {
  path: ({ reset }) => `${reset}/done`,
  isOffered: ({ password }) => password !== null,
  show({ base, paths, texts }) {
    const title = texts.reset.done;
    const body = html`<h1>${title}</h1>
      <p class="lead">${texts.reset.doneLead}</p>
      <a class="button primary" href="${base}${paths.signIn}">${texts.signIn.submit}</a>`;
    return { title, body };
  },
};

function askForLink(visit: Visit, attempt: Attempt | null): View {
  const { flow, paths, texts } = visit;
  const { title, lead, submit } = texts.reset;
  const body = html`<h1>${title}</h1>
    <p class="lead">${lead}</p>
    ${form(visit, {
      action: paths.reset,
      attempt,
      submit,
      fields: [
        input({
          ...attempted(attempt, 'email', flow.email),
          label: texts.email,
          type: 'email',
          autocomplete: 'username',
        }),
      ],
    })}
    <p class="below">${link(visit, paths.signIn, texts.back)}</p>`;
  return { title, body };
}

function choosePassword(visit: Visit, attempt: Attempt | null, token: string): View {
  const { paths, texts } = visit;
  const title = texts.reset.choose;
  const body = html`<h1>${title}</h1>
    ${form(visit, {
      action: `${paths.reset}/choose`,
      attempt,
      submit: texts.reset.save,
      fields: [
        html`<input type="hidden" name="token" value="${token}" />`,
        input({
          ...attempted(attempt, 'password'),
          label: texts.newPassword,
          type: 'password',
          reveal: { show: texts.showPassword, hide: texts.hidePassword },
          autocomplete: 'new-password',
          hint: texts.passwordHint,
        }),
      ],
    })}
    <p class="below">${link(visit, paths.reset, texts.reset.again)}</p>`;
  return { title, body };
}
