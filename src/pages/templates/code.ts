/** A code that was sent by email or text message, and the tab that waits until a mailed link is opened. */
import {
  attempted,
  codeInput,
  form,
  html,
  link as linkTo,
  type CodeView,
  type Html,
  type LinkView,
  type TemplatePage,
} from '../template.js';
import { otherMethods } from './others.js';

export function code(page: TemplatePage, view: CodeView): Html {
  return html`<h1>${view.title}</h1>
    <p class="lead">${view.lead}</p>
    ${codeForm(page, view)} ${afterSending(page, view)}`;
}

export function link(page: TemplatePage, view: LinkView): Html {
  const refusal = view.attempt?.errors.get('');
  return html`<h1>${view.title}</h1>
    ${refusal && !view.hasCode && html`<p class="banner bad" role="alert">${refusal}</p>`}
    <p class="lead">${view.lead}</p>
    ${view.hasCode && codeForm(page, view)}
    <p class="waiting" data-waiting="${view.statusUrl}" data-arrive="${view.arriveUrl}" hidden>
      ${page.texts.checkEmail.waiting}
    </p>
    ${afterSending(page, view)}`;
}

function codeForm(page: TemplatePage, { action, attempt, digits, hidden }: CodeView): Html {
  return form(page, {
    action,
    attempt,
    submit: page.texts.continue,
    fields: [
      ...Object.entries(hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      ),
      codeInput({ ...attempted(attempt, 'code'), label: page.texts.code, digits }),
    ],
  });
}

/** The mail, another code, another address, and other methods. */
function afterSending(page: TemplatePage, view: CodeView): Html {
  const { checkEmail } = page.texts;
  const { current, otherAddress, resend, webMail } = view;
  return html`${
    webMail &&
    html`<a class="button plain" href="${webMail.url}" target="_blank" rel="noopener noreferrer"
      >${checkEmail.open(webMail.name)}</a
    >`
  }
  ${
    (resend !== null || otherAddress !== null) &&
    html`<div class="below row">
      ${
        resend !== null &&
        form(page, {
          action: resend,
          submit: checkEmail.resend,
          kind: 'link',
          pause: { seconds: 30, label: checkEmail.resendIn('#') },
        })
      }
      ${otherAddress && linkTo(page, otherAddress.path, otherAddress.label)}
    </div>`
  }
  ${current && otherMethods(page, current, view.otherMethods, 'link')}`;
}
