/** The end of an invite: the user has joined or declined, or the link is used, expired or withdrawn. */
import { form, html, link, type Html, type JoinEndedView, type TemplatePage } from '../template.js';

export function joinEnded(page: TemplatePage, view: JoinEndedView): Html {
  const { paths, texts } = page;
  const { lead, next, organizationPath, title, token } = view;
  return html`<h1>${title}</h1>
    ${lead !== null && html`<p class="lead">${lead}</p>`}
    <a class="button primary" href="${next.url}">${next.label}</a>
    ${
      token !== null &&
      form(page, {
        action: `${paths.join}/change`,
        submit: texts.join.change,
        kind: 'plain',
        fields: [html`<input type="hidden" name="token" value="${token}" />`],
      })
    }
    ${
      organizationPath !== null &&
      html`<p class="below">${link(page, organizationPath, texts.join.openOrganization)}</p>`
    }`;
}
