/** A device asks for access to the account: its code is entered, and then the user decides. */
import { attempted, form, html, input, type DeviceView, type Html, type TemplatePage } from '../template.js';
import { clientName } from './consent.js';

export function device(page: TemplatePage, view: DeviceView): Html {
  const { paths, texts } = page;
  const { attempt, code, request, title, user } = view;
  const words = texts.device;
  if (request === null || user === null)
    return html`<h1>${title}</h1>
      <p class="lead">${words.lead}</p>
      ${form(page, {
        action: `${paths.device}/enter`,
        attempt,
        submit: texts.continue,
        fields: [input({ ...attempted(attempt, 'code', code), label: texts.code, placeholder: 'XXXX-XXXX' })],
      })}
      <p class="banner warn">${words.warning}</p>`;
  const fields = [
    html`<input type="hidden" name="code" value="${code}" />`,
    html`<input type="hidden" name="user" value="${user.id}" />`,
  ];
  return html`<h1>${title}</h1>
    <p class="lead">${texts.consent.lead(clientName(request.client))}</p>
    <ul class="scopes">
      ${request.scopes.map((scope) => html`<li><bdi>${scope}</bdi></li>`)}
    </ul>
    <p class="soft">${words.compare(html`<strong class="user-code"><code dir="ltr">${code}</code></strong>`)}</p>
    <p class="soft">${texts.consent.account(html`<strong><bdi>${user.email}</bdi></strong>`)}</p>
    <p class="banner warn">${words.warning}</p>
    ${form(page, { action: `${paths.device}/allow`, submit: texts.consent.allow, fields })}
    ${form(page, { action: `${paths.device}/deny`, submit: texts.consent.deny, fields, kind: 'plain' })}
    <div class="below">
      ${form(page, { action: `${paths.device}/change`, submit: texts.consent.change, fields, kind: 'link' })}
    </div>`;
}
