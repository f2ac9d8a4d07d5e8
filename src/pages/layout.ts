/** The frame of every page. */
import { html, type Html } from '../html/html.js';
import type { Assets } from './assets.js';
import { languageMenu } from './language-menu.js';
import { impersonationBanner } from './impersonation.js';
import type { Entry, View } from './page.js';

/** The paths below which the script opens pages without a reload. */
function stepPaths({ base, paths }: Entry): string {
  return [paths.signIn, paths.signUp, paths.twoFactor, paths.reset, paths.verify]
    .map((path) => base + path)
    .join(' ');
}

/** A page of a signed-out user. */
export function layout(visit: Entry, assets: Assets, view: View): Html {
  const bodyClass = visit.slots.signInAside ? 'split' : '';
  const content = visit.templates.card(visit, { content: view.body, languageMenu: languageMenu(visit) });
  return documentOf(visit, assets, view, bodyClass, content);
}

interface DocumentParts extends Pick<View, 'title' | 'status' | 'leaveFor'> {
  /** Default true. */
  hasScript?: boolean;
}

/** A whole document. */
export function documentOf(
  visit: Entry,
  assets: Assets,
  { title, status = 200, leaveFor, hasScript = true }: DocumentParts,
  bodyClass: string,
  content: Html,
): Html {
  const { base, logo, name, templates, texts } = visit;
  const { offline, slow, unreachable } = texts.notices;
  const sheet = html`<link rel="stylesheet" href="${base}${assets.style.path}" />`;
  const files = hasScript
    ? html`<meta
          name="svc-pages"
          content="${stepPaths(visit)}"
          data-offline="${offline}"
          data-unreachable="${unreachable}"
          data-slow="${slow}"
        />
        ${leaveFor && html`<meta http-equiv="refresh" content="0; url=${leaveFor}" />`} ${sheet}
        <script src="${base}${assets.script.path}" defer></script>`
    : sheet;
  const problem = status === 422 ? `${texts.error}: ` : '';
  return templates.document(visit, {
    title: `${problem}${title} · ${name}`,
    icon: logo ?? base + assets.icon.path,
    ...{ bodyClass, content: html`${impersonationBanner(visit)}${content}`, files },
  });
}

/** The logo or the name of the product. */
export function brand({ homeUrl, logo, name }: Pick<Entry, 'homeUrl' | 'logo' | 'name'>): Html {
  return html`<a class="brand" href="${homeUrl}">
    ${logo ? html`<img src="${logo}" alt="${name}" height="32" />` : html`<span>${name}</span>`}
  </a>`;
}
