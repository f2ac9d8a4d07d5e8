/** A code that was sent by email or text message. */
import { html, type CodeView, type Html, type TemplatePage } from '../template.js';
import { afterSending, codeForm } from './code-form.js';

export function code(page: TemplatePage, view: CodeView): Html {
  return html`<h1>${view.title}</h1>
    <p class="lead">${view.lead}</p>
    ${codeForm(page, view)} ${afterSending(page, view)}`;
}
