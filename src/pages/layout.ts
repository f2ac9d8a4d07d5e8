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
  const { base, colorScheme, icon, name, stylesheet, templates, texts } = visit;
  const { offline, slow, unreachable } = texts.notices;
  const sheets = html`${themeColors(visit, bodyClass)}
    <link rel="stylesheet" href="${base}${assets.style.path}" />
    ${stylesheet && html`<link rel="stylesheet" href="${stylesheet}" />`}`;
  const files = hasScript
    ? html`<meta
          name="svc-pages"
          content="${stepPaths(visit)}"
          data-offline="${offline}"
          data-unreachable="${unreachable}"
          data-slow="${slow}"
        />
        ${leaveFor && html`<meta http-equiv="refresh" content="0; url=${leaveFor}" />`} ${sheets}
        <script src="${base}${assets.script.path}" defer></script>`
    : sheets;
  const problem = status === 422 ? `${texts.error}: ` : '';
  return templates.document(visit, {
    title: problem + (title.includes(name) ? title : `${title} · ${name}`),
    icon: icon ?? base + assets.icon.path,
    ...{ bodyClass, colorScheme, content: html`${impersonationBanner(visit)}${content}`, files },
  });
}

/** The color of the browser around the page: that of the topmost element. */
function themeColors({ colors, colorScheme }: Entry, bodyClass: string): Html[] {
  const ground = bodyClass === 'account' ? 'card' : 'page';
  const schemes = (['light', 'dark'] as const).filter((scheme) => colorScheme.includes(scheme));
  return schemes.map(
    (scheme) =>
      html`<meta
        name="theme-color"
        content="${colors[scheme][ground]}"
        ${schemes.length > 1 && html`media="(prefers-color-scheme: ${scheme})"`}
      />`,
  );
}

/** The logo or the name of the product. */
export function brand({ homeUrl, logo, name }: Pick<Entry, 'homeUrl' | 'logo' | 'name'>): Html {
  if (!logo) return html`<a class="brand" href="${homeUrl}"><span>${name}</span></a>`;
  const { dark, light } = logo;
  return html`<a class="brand" href="${homeUrl}">
    <picture>
      ${dark !== light && html`<source srcset="${dark}" media="(prefers-color-scheme: dark)" />`}
      <img src="${light}" alt="${name}" height="32" />
    </picture>
  </a>`;
}
