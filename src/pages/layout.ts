/** The frame of every page. */
import { html, type Html } from '../html/html.js';
import type { Assets } from './assets.js';
import { languageMenu } from './language-menu.js';
import type { View, Visit } from './page.js';

/** The paths below which the script opens pages without a reload. */
function stepPaths({ base, paths }: Visit): string {
  return [paths.signIn, paths.signUp, paths.twoFactor, paths.reset, paths.verify]
    .map((path) => base + path)
    .join(' ');
}

/** A page of a signed-out user. */
export function layout(visit: Visit, assets: Assets, view: View): Html {
  const bodyClass = visit.slots.signInAside ? 'split' : '';
  const content = visit.templates.card(visit, { content: view.body, languageMenu: languageMenu(visit) });
  return document(visit, assets, view, bodyClass, content);
}

/** A whole document. */
export function document(
  visit: Visit,
  assets: Assets,
  { title, status = 200, leaveFor }: Pick<View, 'title' | 'status' | 'leaveFor'>,
  bodyClass: string,
  content: Html,
): Html {
  const { base, language, logo, name, texts } = visit;
  return html`<!doctype html>
    <html lang="${language}" dir="${texts.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <meta name="svc-pages" content="${stepPaths(visit)}" />
        ${leaveFor && html`<meta http-equiv="refresh" content="0; url=${leaveFor}" />`}
        <title>${status === 422 && `${texts.error}: `}${title} · ${name}</title>
        <link rel="icon" href="${logo ?? base + assets.icon.path}" />
        <link rel="stylesheet" href="${base}${assets.style.path}" />
        <script src="${base}${assets.script.path}" defer></script>
      </head>
      <body class="${bodyClass}">
        <a class="skip" href="#main">${texts.skip}</a>
        ${content}
      </body>
    </html>`;
}

/** The logo or the name of the product. */
export function brand({ homeUrl, logo, name }: Pick<Visit, 'homeUrl' | 'logo' | 'name'>): Html {
  return html`<a class="brand" href="${homeUrl}">
    ${logo ? html`<img src="${logo}" alt="${name}" height="32" />` : html`<span>${name}</span>`}
  </a>`;
}
