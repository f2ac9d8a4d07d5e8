/** The frame of every page. */
import { html, type Html } from '../html/html.js';
import { flashOf } from './flash.js';
import { languageMenu } from './language-menu.js';
import type { Call, View } from './page.js';
import { zoneName } from './time-zone.js';

type Frame = Pick<Call, 'assets' | 'base' | 'language' | 'name' | 'texts'>;

/** A whole document. */
function document({ assets, base, language, name, texts }: Frame, title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="${language}" dir="${texts.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${name}</title>
        <link rel="icon" href="${base}${assets.icon.path}" type="image/svg+xml" />
        <link rel="stylesheet" href="${base}${assets.style.path}" />
        <script src="${base}${assets.script.path}" defer></script>
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}

/** A page for an administrator. */
export function layout(call: Call, { title, trail = [], body, width, section, status = 200 }: View): Html {
  const { assets, base, homeUrl, me, name, showsAudit, showsClients, showsOverview, texts, zone } = call;
  const { sections } = texts;
  const current = trail.length === 0 ? 'page' : 'true';
  const flash = flashOf(call);
  const page = html`<a class="skip" href="#main">${texts.skip}</a>
    <header class="top">
      <div class="bar">
        <a class="brand" href="${base}/users">
          <img src="${base}${assets.icon.path}" alt="" width="24" height="24" />${name}
        </a>
        <nav aria-label="${sections.label}">
          ${
            showsOverview &&
            html`<a href="${base}/overview" ${section === 'overview' && html`aria-current="${current}"`}
              >${sections.overview}</a
            >`
          }
          <a href="${base}/users" ${section === undefined && html`aria-current="${current}"`}
            >${sections.users}</a
          >
          ${
            showsClients &&
            html`<a href="${base}/clients" ${section === 'clients' && html`aria-current="${current}"`}
              >${sections.clients}</a
            >`
          }
          ${
            showsAudit &&
            html`<a href="${base}/audit" ${section === 'audit' && html`aria-current="${current}"`}
              >${sections.audit}</a
            >`
          }
        </nav>
        <p class="me"><bdi>${me.email ?? texts.signedIn}</bdi></p>
        <a class="out" href="${homeUrl}">${texts.toApp}</a>
      </div>
    </header>
    <main id="main" tabindex="-1" class="${width ?? ''}">
      ${flash && html`<p class="flash" role="status">${flash}</p>`}
      ${
        trail.length > 0 &&
        html`<nav class="trail" aria-label="${sections.trail}">
          <ol>
            ${trail.map(
              ({ label, path }) =>
                html`<li>
                  <a href="${base}${path}"><bdi>${label}</bdi></a>
                </li>`,
            )}
            <li aria-current="page"><bdi>${title}</bdi></li>
          </ol>
        </nav>`
      }
      ${body}
    </main>
    <footer>
      <p data-zone-path="${base || '/'}">${texts.zone(zoneName(zone))}</p>
      ${languageMenu(call)}
    </footer>`;
  // The first words of a page that a screen reader reads.
  return document(call, status === 422 ? `${texts.error}: ${title}` : title, page);
}

/** A page with one message, for visitors who may not see anything else. */
export function notice(frame: Frame, title: string, body: Html): Html {
  return document(
    frame,
    title,
    html`<main id="main" class="notice">
      <div class="card">
        <h1>${title}</h1>
        ${body}
      </div>
    </main>`,
  );
}
