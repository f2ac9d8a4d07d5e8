/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
import { html } from '../../html/html.js';
import { input } from '../../pages-kit/fields.js';
import { codeInput, typedCode } from '../code-input.js';
import { attempted, form } from '../form.js';
import { goTo, type Next, type Page, type Visit } from '../page.js';
import { arrive } from '../sign-in/arrive.js';
import { methodsOfStep, otherSteps, pendingOf, trustField, withTrust } from './step.js';
import { FieldError } from '../../pages-kit/attempt.js';

export const appCodePage: Page = {
  path: ({ twoFactor }) => twoFactor,
  isOffered: ({ secondFactor }) => secondFactor !== null,
  async show(visit, attempt) {
    const token = pendingOf(visit);
    if (token === undefined) return goTo(visit.paths.signIn);
    const { paths, texts } = visit;
    const { title, app } = texts.twoFactor;
    const body = html`<h1>${title}</h1>
      <p class="lead">${app}</p>
      ${form(visit, {
        action: paths.twoFactor,
        attempt,
        submit: texts.continue,
        fields: [
          codeInput({ ...attempted(attempt, 'code'), label: texts.code, digits: 6 }),
          ...trustField(visit),
        ],
      })}
      ${otherSteps(visit, await methodsOfStep(visit, token), 'totp')}`;
    return { title, body };
  },
  forms: {
    '': async (values, visit) => finish(visit, values, 'code', typedCode(values)),
  },
};

export const recoveryCodePage: Page = {
  path: ({ twoFactor }) => `${twoFactor}/recovery`,
  isOffered: ({ secondFactor }) => secondFactor !== null,
  async show(visit, attempt) {
    const token = pendingOf(visit);
    if (token === undefined) return goTo(visit.paths.signIn);
    const { paths, texts } = visit;
    const { title, recovery, recoveryCode } = texts.twoFactor;
    const body = html`<h1>${title}</h1>
      <p class="lead">${recovery}</p>
      ${form(visit, {
        action: `${paths.twoFactor}/recovery`,
        attempt,
        submit: texts.continue,
        fields: [
          input({
            name: 'code',
            label: recoveryCode,
            autocomplete: 'off',
            error: attempt?.errors.get('code'),
          }),
        ],
      })}
      ${otherSteps(visit, await methodsOfStep(visit, token), 'recovery')}`;
    return { title, body };
  },
  forms: {
    '': async (values, visit) => finish(visit, values, 'recoveryCode', (values.get('code') ?? '').trim()),
  },
};

async function finish(
  visit: Visit,
  values: URLSearchParams,
  kind: 'code' | 'recoveryCode',
  code: string,
): Promise<Next> {
  const { context, features, paths, texts } = visit;
  const token = pendingOf(visit);
  if (token === undefined) return goTo(paths.signIn);
  if (code === '') throw new FieldError('code', texts.errors.codeMissing);
  const input = kind === 'code' ? { token, code } : { token, recoveryCode: code };
  return arrive(visit, await features.secondFactor!.finishSignIn(input, withTrust(context, values)));
}
