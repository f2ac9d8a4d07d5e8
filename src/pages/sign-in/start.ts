/** The first step of a sign-in: the address, or a method that needs none. */
import { html } from '../../html/html.js';
import { input } from '../../pages-kit/fields.js';
import { attempted, form, link } from '../form.js';
import { sentenceFor } from '../form-errors.js';
import type { Page } from '../page.js';
import { leave } from './arrive.js';
import { beginWith, methodsOf } from './methods.js';
import { methodsWithoutAddress } from './methods-without-address.js';
import { isSignedIn } from './signed-in.js';
import { FieldError } from '../../pages-kit/attempt.js';

export const signInPage: Page = {
  path: ({ signIn }) => signIn,
  isOffered: ({ code, google, link, password, webauthn }) =>
    Boolean(code ?? google ?? link ?? password ?? webauthn),
  async show(visit, attempt) {
    if (await isSignedIn(visit)) return leave(visit);
    const { features, flow, firstMethod, name, paths, query, texts } = visit;
    const title = texts.signIn.title(name);
    const refusal = sentenceFor(query.get('error') ?? '', texts);
    const others = methodsWithoutAddress(visit, texts.signIn.passkey);
    const hasAddress = methodsOf(features, firstMethod).length > 0;
    const body = html`<h1>${title}</h1>
      ${refusal && html`<p class="banner bad" role="alert">${refusal}</p>`}
      ${others && html`<div class="others">${others}</div>`}
      ${others && hasAddress && html`<p class="or"><span>${texts.or}</span></p>`}
      ${
        hasAddress &&
        form(visit, {
          action: paths.signIn,
          attempt,
          submit: texts.continue,
          fields: [
            input({
              ...attempted(attempt, 'email', flow.email),
              label: texts.email,
              type: 'email',
              autocomplete: features.webauthn ? 'username webauthn' : 'username',
            }),
          ],
        })
      }
      ${
        hasAddress &&
        html`<p class="below">${texts.signIn.newHere(name, (label) => link(visit, paths.signUp, label))}</p>`
      }`;
    return { title, body };
  },
  forms: {
    async ''(values, visit) {
      const { features, firstMethod, texts } = visit;
      const email = (values.get('email') ?? '').trim();
      if (email === '') throw new FieldError('email', texts.errors.emailMissing);
      const [method] = methodsOf(features, firstMethod);
      if (!method) throw new FieldError('email', texts.errors.invalid);
      return beginWith(method, email, visit);
    },
  },
};
