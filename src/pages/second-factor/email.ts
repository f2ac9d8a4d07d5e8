/** The second step of a sign-in with a code that is mailed for it. */
import { html } from '../../html/html.js';
import { codeInput, requiredCode } from '../code-input.js';
import { attempted, form } from '../form.js';
import { goTo, type Page } from '../page.js';
import { arrive } from '../sign-in/arrive.js';
import { methodsOfStep, otherSteps, pendingOf, trustField, withTrust } from './step.js';

export const emailStepPage: Page = {
  path: ({ twoFactor }) => `${twoFactor}/email`,
  isOffered: ({ otherSecondSteps }) => otherSecondSteps !== null,
  async show(visit, attempt) {
    const token = pendingOf(visit);
    if (token === undefined) return goTo(visit.paths.signIn);
    const { features, paths, texts } = visit;
    const { title, email } = texts.twoFactor;
    const body = html`<h1>${title}</h1>
      <p class="lead">${email}</p>
      ${form(visit, {
        action: `${paths.twoFactor}/email`,
        attempt,
        submit: texts.continue,
        fields: [
          codeInput({ ...attempted(attempt, 'code'), label: texts.code, digits: features.codeDigits }),
          ...trustField(visit),
        ],
      })}
      ${otherSteps(visit, await methodsOfStep(visit, token), 'email')}`;
    return { title, body };
  },
  forms: {
    async ''(values, visit) {
      const { context, features, paths, texts } = visit;
      const token = pendingOf(visit);
      if (token === undefined) return goTo(paths.signIn);
      const code = requiredCode(values, texts);
      const steps = features.otherSecondSteps!;
      return arrive(visit, await steps.finishWithEmailCode({ token, code }, withTrust(context, values)));
    },
    async send(_values, visit) {
      const token = pendingOf(visit);
      if (token === undefined) return goTo(visit.paths.signIn);
      await visit.features.otherSecondSteps!.sendEmailCode({ token }, visit.context);
      return goTo(`${visit.paths.twoFactor}/email`);
    },
  },
};
