/** What the pages for a code and for a link share. */
import {
  attempted,
  codeInput,
  form,
  html,
  link,
  signUpFields,
  type CodeView,
  type Html,
  type TemplatePage,
} from '../template.js';
import { otherMethods } from './others.js';

export function codeForm(page: TemplatePage, view: CodeView): Html {
  const { action, attempt, digits, fields = [], hasLetters, hidden } = view;
  return form(page, {
    action,
    attempt,
    submit: page.texts.continue,
    fields: [
      ...Object.entries(hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      ),
      codeInput({
        ...attempted(attempt, 'code'),
        label: page.texts.code,
        // A complete code submits the form, unless something else is to be filled in.
        ...(fields.length === 0 && { digits }),
        hasLetters,
        hint: hasLetters && page.texts.codeLetters,
      }),
      fields.length > 0 && signUpFields(page, { attempt, fields }),
    ],
  });
}

/** The mail, another code, another address, and other methods. */
export function afterSending(page: TemplatePage, view: CodeView): Html {
  const { checkEmail } = page.texts;
  const { current, otherAddress, resend, resendIn, webMail } = view;
  return html`${
    webMail &&
    html`<a class="button plain" href="${webMail.url}" target="_blank" rel="noopener noreferrer"
      >${checkEmail.open(webMail.name)}</a
    >`
  }
  ${
    (resend !== null || otherAddress !== null) &&
    html`<div class="below row">
      ${resend !== null && resendForm(page, resend, resendIn)}
      ${otherAddress && link(page, otherAddress.path, otherAddress.label)}
    </div>`
  }
  ${current && otherMethods(page, current, view)}`;
}

/** The button that sends a code or a link again, as soon as it may have arrived. */
export function resendForm(page: TemplatePage, action: string, seconds: number): Html {
  const { resend, resendIn } = page.texts.checkEmail;
  return form(page, { action, submit: resend, kind: 'link', pause: { seconds, label: resendIn('#') } });
}
