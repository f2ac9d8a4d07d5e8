/** The frame of every page. */
import { html, type Html } from '../html/html.js';
import { flashOf } from './flash.js';
import type { Call, View } from './page.js';

type Frame = Pick<Call, 'assets' | 'base' | 'name'>;

/** A whole document. */
function document({ assets, base, name }: Frame, title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
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
  const { assets, base, homeUrl, me, name, query, showsAudit, showsClients, showsOverview } = call;
  const current = trail.length === 0 ? 'page' : 'true';
  const flash = flashOf(query);
  const page = html`<a class="skip" href="#main">Skip to content</a>
    <header class="top">
      <div class="bar">
        <a class="brand" href="${base}/users">
          <img src="${base}${assets.icon.path}" alt="" width="24" height="24" />${name}
        </a>
        <nav aria-label="Main">
          ${
            showsOverview &&
            html`<a href="${base}/overview" ${section === 'overview' && html`aria-current="${current}"`}
              >Overview</a
            >`
          }
          <a href="${base}/users" ${section === undefined && html`aria-current="${current}"`}>Users</a>
          ${
            showsClients &&
            html`<a href="${base}/clients" ${section === 'clients' && html`aria-current="${current}"`}
              >Clients</a
            >`
          }
          ${
            showsAudit &&
            html`<a href="${base}/audit" ${section === 'audit' && html`aria-current="${current}"`}
              >Audit log</a
            >`
          }
        </nav>
        <p class="me"><bdi>${me.email ?? 'Signed in'}</bdi></p>
        <a class="out" href="${homeUrl}">Back to app</a>
      </div>
    </header>
    <main id="main" tabindex="-1" class="${width ?? ''}">
      ${flash && html`<p class="flash" role="status">${flash}</p>`}
      ${
        trail.length > 0 &&
        html`<nav class="trail" aria-label="Breadcrumb">
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
    </main>`;
  // The first words of a page that a screen reader reads.
  return document(call, status === 422 ? `Error: ${title}` : title, page);
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
