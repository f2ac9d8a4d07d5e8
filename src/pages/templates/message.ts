/** A page without a form: what has happened, and where to continue. */
import { html, link, type Html, type MessageView, type TemplatePage } from '../template.js';

export function message(page: TemplatePage, view: MessageView): Html {
  const { title, lead, details = [], links, hasButton, needsSupport } = view;
  const [first, ...rest] = links;
  const { supportUrl, texts } = page;
  return html`<h1>${title}</h1>
    <p class="lead">${lead}</p>
    ${details.map((detail) => detail !== false && html`<p class="soft">${detail}</p>`)}
    ${
      needsSupport &&
      supportUrl !== null &&
      html`<a class="button primary" href="${supportUrl}">${texts.notices.support}</a>`
    }
    ${
      hasButton && first
        ? html`<a class="button primary" href="${page.base}${first.path}">${first.label}</a>
            ${rest.length > 0 && row(page, rest)}`
        : row(page, links)
    }`;
}

function row(page: TemplatePage, links: MessageView['links']): Html {
  return html`<p class="below row">${links.map(({ path, label }) => html`${link(page, path, label)} `)}</p>`;
}
