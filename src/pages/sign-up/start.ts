/** A new account: with a password, or with a mailed code or link, which creates it. */
import { html } from '../../html/html.js';
import { keepSignUp } from '../../http/sign-up-cookie.js';
import { input } from '../../pages-kit/fields.js';
import { attempted, form, link } from '../form.js';
import { goTo, type Page } from '../page.js';
import { arrive, leave } from '../sign-in/arrive.js';
import { beginWith, methodsOf } from '../sign-in/methods.js';
import { methodsWithoutAddress } from '../sign-in/methods-without-address.js';
import { isSignedIn } from '../sign-in/signed-in.js';
import { FieldError } from '../../pages-kit/attempt.js';

export const signUpPage: Page = {
  path: ({ signUp }) => signUp,
  isOffered: ({ code, link: mailedLink, password }) => Boolean(code ?? mailedLink ?? password),
  async show(visit, attempt) {
    if (await isSignedIn(visit)) return leave(visit);
    const { features, flow, paths, texts } = visit;
    const title = texts.signUp.title;
    const others = methodsWithoutAddress(visit, null);
    const emailField = input({
      ...attempted(attempt, 'email', flow.email),
      label: texts.email,
      type: 'email',
      autocomplete: 'username',
    });
    const passwordField = input({
      ...attempted(attempt, 'password'),
      label: texts.password,
      type: 'password',
      reveal: { show: texts.showPassword, hide: texts.hidePassword },
      autocomplete: 'new-password',
      hint: texts.passwordHint,
    });
    const body = html`<h1>${title}</h1>
      ${others && html`<div class="others">${others}</div>`}
      ${others && html`<p class="or"><span>${texts.or}</span></p>`}
      ${form(visit, {
        action: paths.signUp,
        attempt,
        submit: features.password ? texts.signUp.submit : texts.continue,
        fields: features.password ? [emailField, passwordField] : [emailField],
      })}
      <p class="below">${texts.signUp.haveAccount((label) => link(visit, paths.signIn, label))}</p>`;
    return { title, body };
  },
  forms: {
    async ''(values, visit) {
      const { context, features, firstMethod, paths, texts } = visit;
      const email = (values.get('email') ?? '').trim();
      if (email === '') throw new FieldError('email', texts.errors.emailMissing);
      if (!features.password) {
        const [method] = methodsOf(features, firstMethod);
        return beginWith(method ?? 'code', email, visit);
      }
      const password = values.get('password') ?? '';
      if (password === '') throw new FieldError('password', texts.errors.passwordMissing);
      const result = await features.password.startSignUp({ email, password }, context);
      if ('token' in result) {
        keepSignUp(visit.service, visit.req, visit.res, result);
        visit.keep({ email });
        return goTo(`${paths.signUp}/code`);
      }
      const next = arrive(visit, result);
      if (!features.hasVerification) return next;
      visit.keep(visit.flow);
      return goTo(paths.verify);
    },
  },
};
