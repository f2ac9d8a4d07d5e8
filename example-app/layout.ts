/** The frame of the application's own pages. Those for sign-in and the account are from the package. */
import type { ServiceUser } from 'svc-auth';
import { html, type Html } from 'svc-auth/pages';

/** The user of a page, as `service.users.get()` returns it. */
export interface Visitor {
  user: ServiceUser;
  isGuest: boolean;
  isAdmin: boolean;
  /** For the button that signs out. */
  formToken: string | null;
}

interface Page {
  title: string;
  body: Html;
  visitor?: Visitor;
  /** The path of a script. */
  script?: string;
}

export function page({ title, body, visitor, script }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Acme</title>
        <link rel="icon" href="/icon.svg" />
        <link rel="stylesheet" href="/style.css" />
        ${script && html`<script type="module" src="${script}"></script>`}
      </head>
      <body>
        <header>
          <a class="brand" href="/"><img src="/icon.svg" alt="" width="32" height="32" /> Acme</a>
          <nav aria-label="Main">
            ${visitor && html`<a href="/">Notes</a> <a href="/account">Account</a>`}
            ${visitor?.isAdmin && html`<a href="/admin">Admin</a>`} ${inboxLink}
            ${
              visitor &&
              html`<form method="post" action="/account/sign-out">
                <input type="hidden" name="form_token" value="${visitor.formToken}" />
                <button class="plain">Sign out</button>
              </form>`
            }
          </nav>
        </header>
        <main>${body}</main>
      </body>
    </html>`.text;
}

/** A named target: the inbox opens in one tab, next to the page that waits for a code. */
export const inboxLink = html`<a href="/inbox" target="inbox">Inbox</a>`;

export function notFoundPage(): string {
  return page({
    title: 'Not found',
    body: html`<h1>Page not found</h1>
      <p class="soft">Check the address, or <a href="/">go to your notes</a>.</p>`,
  });
}
