/** An application asks for access to the account: who asks, for what, and where the browser returns. */
import { form, html, type ConsentView, type Html, type TemplatePage } from '../template.js';

export function consent(page: TemplatePage, view: ConsentView): Html {
  const { paths, texts } = page;
  const { client, continuesAt, host, id, isLocal, scopes, title, user } = view;
  const words = texts.consent;
  if (continuesAt !== null || user === null)
    return html`<h1>${title}</h1>
      ${continuesAt !== null && html`<a class="button primary" href="${continuesAt}">${texts.continue}</a>`}`;
  const fields = [
    html`<input type="hidden" name="request" value="${id}" />`,
    html`<input type="hidden" name="user" value="${user.id}" />`,
  ];
  return html`<h1>${title}</h1>
    <p class="lead">${words.lead(clientName(client))}</p>
    <ul class="scopes">
      ${scopes.map((scope) => html`<li><bdi>${scope}</bdi></li>`)}
    </ul>
    <p class="soft">${words.account(html`<strong><bdi>${user.email}</bdi></strong>`)}</p>
    <p class="soft">${words.returns(html`<strong><bdi dir="ltr">${host}</bdi></strong>`)}</p>
    ${isLocal && html`<p class="banner warn">${words.local}</p>`}
    ${form(page, { action: `${paths.consent}/allow`, submit: words.allow, fields })}
    ${form(page, { action: `${paths.consent}/deny`, submit: words.deny, fields, kind: 'plain' })}
    <div class="below">
      ${form(page, { action: `${paths.consent}/change`, submit: words.change, fields, kind: 'link' })}
    </div>`;
}

export function clientName({ host, name }: ConsentView['client']): Html {
  const shown = html`<strong><bdi>${name}</bdi></strong>`;
  return host === null || host === name ? shown : html`${shown} (<bdi dir="ltr">${host}</bdi>)`;
}
