/** The verification of the address of an account, with the mailed code, and the step for another address. */
import {
  attempted,
  codeInput,
  form,
  html,
  input,
  link,
  type Html,
  type TemplatePage,
  type VerifyView,
} from '../template.js';
import { resendForm } from './code-form.js';

export function verify(page: TemplatePage, view: VerifyView): Html {
  const steps = { code: codeStep, address: addressStep };
  return html`<h1>${view.title}</h1>
    ${steps[view.step](page, view)}`;
}

function codeStep(page: TemplatePage, view: VerifyView): Html {
  const { texts } = page;
  const { action, addressPath, attempt, digits, email, laterUrl, resend, resendIn } = view;
  return html`<p class="lead">${texts.verify.lead(html`<strong><bdi>${email}</bdi></strong>`)}</p>
    ${form(page, {
      action,
      attempt,
      submit: texts.continue,
      fields: [codeInput({ ...attempted(attempt, 'code'), label: texts.code, digits })],
    })}
    ${laterUrl !== null && html`<a class="button plain" href="${laterUrl}">${texts.verify.later}</a>`}
    <div class="below row">
      ${resend !== null && resendForm(page, resend, resendIn)}
      ${addressPath !== null && link(page, addressPath, texts.checkEmail.otherAddress)} ${signOut(page, view)}
    </div>`;
}

function addressStep(page: TemplatePage, view: VerifyView): Html {
  const { action, attempt, email } = view;
  const { paths, texts } = page;
  return html`<p class="lead">${texts.account.profile.changeEmailLeadNew}</p>
    ${form(page, {
      action,
      attempt,
      submit: texts.account.profile.sendCode,
      fields: [
        input({
          ...attempted(attempt, 'email', email),
          label: texts.email,
          type: 'email',
          autocomplete: 'email',
        }),
      ],
    })}
    <div class="below row">${link(page, paths.verify, texts.back)} ${signOut(page, view)}</div>`;
}

function signOut(page: TemplatePage, view: VerifyView): Html {
  return form(page, { action: view.signOut, submit: page.texts.account.signOut, kind: 'link' });
}
