/** Renders a form, with the errors of the last attempt at the top and next to the fields. */
import { html, type Html } from '../html/html.js';
import { fieldId } from '../pages-kit/fields.js';
import { tokenField } from '../pages-kit/session-form.js';
import type { Call, FormView, View } from './page.js';
import type { Attempt } from '../pages-kit/attempt.js';
import type { AdminTexts } from './texts/texts.js';

/** A form that posts to its own page. */
export function formView(call: Call, view: FormView, attempt: Attempt | null): View {
  const { base, formToken, req, texts } = call;
  const errors = attempt?.errors ?? new Map<string, string>();
  const body = html`<div class="card form">
    <h1>${view.title}</h1>
    ${view.lead && html`<p class="lead">${view.lead}</p>`} ${errors.size > 0 && summary(texts, errors)}
    ${view.warning && html`<p class="callout warning">${view.warning}</p>`}
    <form method="post" action="${base}${req.path}">
      <input type="hidden" name="${tokenField}" value="${formToken}" />
      ${view.fields ?? []}
      <div class="buttons">
        <button class="${view.isDestructive ? 'danger' : 'primary'}">${view.submit}</button>
        <a class="button" href="${base}${view.back}">${texts.cancel}</a>
      </div>
    </form>
  </div>`;
  return {
    title: view.title,
    trail: view.trail ?? [],
    body,
    width: 'narrow',
    status: errors.size > 0 ? 422 : 200,
  };
}

function summary({ nothingChanged }: AdminTexts, errors: Attempt['errors']): Html {
  const items = [...errors].map(([field, text]) =>
    field === '' ? html`<li>${text}</li>` : html`<li><a href="#${fieldId(field)}">${text}</a></li>`,
  );
  return html`<div class="callout bad" role="alert" tabindex="-1">
    <h2>${nothingChanged}</h2>
    <ul>
      ${items}
    </ul>
  </div>`;
}
