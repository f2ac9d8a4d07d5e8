/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
import { html } from '../../html/html.js';
import { readPendingSignIn } from '../../http/signed-in.js';
import { input } from '../../pages-kit/fields.js';
import { codeInput } from '../code-input.js';
import { attempted, form, link } from '../form.js';
import { FieldError, goTo, type Next, type Page, type Visit } from '../page.js';
import { arrive } from '../sign-in/arrive.js';

export const appCodePage: Page = {
  path: ({ twoFactor }) => twoFactor,
  isOffered: ({ secondFactor }) => secondFactor !== null,
  show(visit, attempt) {
    if (readPendingSignIn(visit.service, visit.req) === undefined) return goTo(visit.paths.signIn);
    const { paths, texts } = visit;
    const { title, app, useRecovery, restart } = texts.twoFactor;
    const body = html`<h1>${title}</h1>
      <p class="lead">${app}</p>
      ${form(visit, {
        action: paths.twoFactor,
        attempt,
        submit: texts.continue,
        fields: [codeInput({ ...attempted(attempt, 'code'), label: texts.code, digits: 6 })],
      })}
      <p class="below row">
        ${link(visit, `${paths.twoFactor}/recovery`, useRecovery)} ${link(visit, paths.signIn, restart)}
      </p>`;
    return { title, body };
  },
  forms: {
    '': async (values, visit) => finish(visit, 'code', (values.get('code') ?? '').replace(/\s/g, '')),
  },
};

export const recoveryCodePage: Page = {
  path: ({ twoFactor }) => `${twoFactor}/recovery`,
  isOffered: ({ secondFactor }) => secondFactor !== null,
  show(visit, attempt) {
    if (readPendingSignIn(visit.service, visit.req) === undefined) return goTo(visit.paths.signIn);
    const { paths, texts } = visit;
    const { title, recovery, recoveryCode, useApp, restart } = texts.twoFactor;
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
      <p class="below row">${link(visit, paths.twoFactor, useApp)} ${link(visit, paths.signIn, restart)}</p>`;
    return { title, body };
  },
  forms: {
    '': async (values, visit) => finish(visit, 'recoveryCode', (values.get('code') ?? '').trim()),
  },
};

async function finish(visit: Visit, kind: 'code' | 'recoveryCode', code: string): Promise<Next> {
  const { context, features, paths, req, texts } = visit;
  const token = readPendingSignIn(visit.service, req);
  if (token === undefined) return goTo(paths.signIn);
  if (code === '') throw new FieldError('code', texts.errors.codeMissing);
  const input = kind === 'code' ? { token, code } : { token, recoveryCode: code };
  return arrive(visit, await features.secondFactor!.finishSignIn(input, context));
}
