/** The layout of every page. */
import type { ServiceUser } from 'svc-auth';
import { html, type Html } from './html.js';
import { icons } from './icons.js';

/** The visitor of a page. */
export interface Visitor {
  user: ServiceUser;
  guest: boolean;
  isAdmin: boolean;
}

interface Page {
  title: string;
  body: Html;
  /** A file of ../browser, without its extension. */
  script?: string;
  /** The class of the body. */
  look?: 'bare' | 'split';
  /** The account that the page shows. The scripts change no other account. */
  user?: ServiceUser | null;
}

export function page({ title, body, script, look, user }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Acme</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/style/base.css" />
        <link rel="stylesheet" href="/style/controls.css" />
        <link rel="stylesheet" href="/style/pages.css" />
        ${
          script &&
          html`<script src="/scripts/early.js"></script>
            <script type="module" src="/scripts/${script}.js"></script>`
        }
      </head>
      <body class="${look}" ${user && html`data-user="${user.id}"`}>
        ${body}
        <p class="toast" role="status" id="toast"></p>
      </body>
    </html>`.text;
}

const brand = html`<a href="/" class="brand">${icons.logo} Acme</a>`;

// A named target: the inbox opens in one tab, next to the page that waits for a code.
const inboxLink = html`<a href="/inbox" target="inbox" class="inbox-link"
  >${icons.mail} Inbox<span class="hidden"> of this example (opens in a new tab)</span></a
>`;

/** The header for visitors who are not signed in. */
export const publicTop = html`<header class="top">${brand} ${inboxLink}</header>`;

/** The header for users who are signed in. */
export function memberTop({ user, guest, isAdmin }: Visitor, current: 'notes' | 'account'): Html {
  const link = (href: string, name: string, label: string) =>
    html`<a href="${href}" ${name === current && html`aria-current="page"`}>${label}</a>`;
  return html`<header class="top">
    ${brand}
    <nav aria-label="Main">
      ${link('/', 'notes', 'Notes')} ${link('/account', 'account', 'Account')}
      ${isAdmin && link('/admin', 'admin', 'Admin')}
    </nav>
    <span class="who" title="${user.email}">${nameOf(user, guest)}</span>
    ${inboxLink}
    <form id="logout" action="/api/auth/logout" method="post">
      <button class="quiet" data-busy="Signing out…">Sign out</button>
      <p class="error" role="alert" data-message></p>
    </form>
  </header>`;
}

export function nameOf(user: ServiceUser, guest: boolean): string {
  return user.email ?? (guest ? 'Guest' : 'No email address');
}

export const needsScript = html`<noscript>
  <p class="banner">These forms require JavaScript. Signing in with Google or Orbit works without it.</p>
</noscript>`;
