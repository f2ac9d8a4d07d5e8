/** What a page shows that cannot be opened. */
import { html, type Html } from '../../html/html.js';
import type { Assets } from '../assets.js';
import { layout } from '../layout.js';
import type { Visit } from '../page.js';
import { linkButton } from './parts.js';
import { at, type AccountView, type AccountVisit } from './page.js';

/** For a record that does not exist, or that is another user's. */
export function notFoundView(visit: AccountVisit): AccountView {
  const { words } = visit;
  return {
    title: words.notFound,
    status: 404,
    body: html`<p class="lead">${words.notFoundLead}</p>
      <p>${linkButton(visit, { path: at(visit, '/profile'), label: words.title })}</p>`,
  };
}

/** For an administrator who impersonates the user. */
export function notInPersonView(visit: Visit, assets: Assets): Html {
  const { account } = visit.texts;
  const body = html`<h1>${account.impersonatedTitle}</h1>
    <p class="lead">${account.impersonated}</p>
    <p>${linkButton(visit, { path: at(visit, '/profile'), label: account.title })}</p>`;
  return layout(visit, assets, { title: account.impersonatedTitle, body, status: 403 });
}
