/** The verification of the address of a new account, with the mailed code. */
import { html } from '../../html/html.js';
import { codeInput, requiredCode } from '../code-input.js';
import { attempted, form } from '../form.js';
import { goTo, type Next, type Page, type Visit } from '../page.js';
import { leave } from '../sign-in/arrive.js';
import { sessionOf } from '../sign-in/signed-in.js';

export const verifyPage: Page = {
  path: ({ verify }) => verify,
  isOffered: ({ hasVerification }) => hasVerification,
  async show(visit, attempt) {
    const session = await sessionOf(visit);
    if (!session) return toSignIn(visit);
    const { email, emailVerified } = session.user;
    if (email === null || emailVerified) return leave(visit);
    const { paths, texts } = visit;
    const title = texts.checkEmail.title;
    const body = html`<h1>${title}</h1>
      <p class="lead">${texts.verify.lead(html`<strong><bdi>${email}</bdi></strong>`)}</p>
      ${form(visit, {
        action: paths.verify,
        attempt,
        submit: texts.continue,
        fields: [
          codeInput({ ...attempted(attempt, 'code'), label: texts.code, digits: visit.features.codeDigits }),
        ],
      })}
      <div class="below row">
        ${form(visit, { action: `${paths.verify}/again`, submit: texts.checkEmail.resend, kind: 'link' })}
      </div>`;
    return { title, body };
  },
  forms: {
    async ''(values, visit) {
      const session = await sessionOf(visit);
      if (!session) return toSignIn(visit);
      const code = requiredCode(values, visit.texts);
      await visit.features.password!.verifyEmail({ userId: session.user.id, code }, visit.context);
      return leave(visit);
    },
    async again(_values, visit) {
      const session = await sessionOf(visit);
      if (!session) return toSignIn(visit);
      await visit.features.password!.sendVerification(session.user.id, visit.context);
      return goTo(visit.paths.verify);
    },
  },
};

function toSignIn({ paths }: Visit): Next {
  return goTo(`${paths.signIn}?next=${encodeURIComponent(paths.verify)}`);
}
