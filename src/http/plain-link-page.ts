/** The pages of mailed links of an application without `svc-auth/pages`: that of a magic link asks for a confirmation before it signs in. */
import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { html, type Html } from '../html/html.js';
import type { MailTexts } from '../core/mail/texts/en.js';

/** @param formTargets origins to which the form may be redirected. */
export function setPlainHeaders(res: Response, formTargets: readonly string[]): void {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(styleOf(styleElement)).digest('base64')}'`,
    // Browsers also check the target of the redirect that follows.
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  res.setHeader('Content-Security-Policy', policy.join('; '));
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  res.setHeader('X-Robots-Tag', 'noindex, nofollow');
}

// A pressed button takes no second click: it would cancel the response that contains the session, and
// the link is used by then. A mouse or a finger leaves it focused, but not with `:focus-visible`.
const styleElement = html`<style>
  :root {
    color-scheme: light dark;
    font:
      16px/1.5 system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      sans-serif;
  }
  body {
    margin: 0;
    padding: 32px 16px;
    color: #18181b;
    background: #f4f4f5;
  }
  main {
    max-width: 400px;
    margin: 0 auto;
    padding: 32px 24px;
    border-radius: 12px;
    background: #fff;
  }
  h1 {
    margin: 0 0 16px;
    font-size: 24px;
    line-height: 1.25;
  }
  p {
    margin: 0 0 16px;
    overflow-wrap: anywhere;
  }
  button {
    width: 100%;
    min-height: 48px;
    border: 0;
    border-radius: 8px;
    padding: 12px 20px;
    font: inherit;
    font-weight: 600;
    color: #fff;
    background: #18181b;
    cursor: pointer;
  }
  button:focus:not(:focus-visible):not(:active) {
    pointer-events: none;
  }
  button:focus-visible {
    outline: 3px solid #2563eb;
    outline-offset: 3px;
  }
  .hint {
    margin: 24px 0 0;
    font-size: 14px;
    color: #52525b;
  }
  @media (prefers-color-scheme: dark) {
    body {
      color: #f4f4f5;
      background: #09090b;
    }
    main {
      background: #18181b;
    }
    button {
      color: #18181b;
      background: #f4f4f5;
    }
    .hint {
      color: #a1a1aa;
    }
  }
</style>`;

/** Returns the content of the element, which the policy allows by its digest. */
function styleOf({ text }: Html): string {
  return text.slice('<style>'.length, -'</style>'.length);
}

export interface PlainLinkPage {
  title: string;
  /** What the page says, before and after the address, which is bold. */
  lead: readonly [before: string, after: string];
  email: string | null;
  /** `proof` shows that the form belongs to this browser and this link. */
  form: { proof: string; submit: string; ignore: string } | null;
}

export function plainLinkPage(
  { language, texts }: { language: string; texts: MailTexts },
  { title, lead: [before, after], email, form }: PlainLinkPage,
): Html {
  return html`<!doctype html>
    <html lang="${language}" dir="${texts.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <p>${before}${email !== null && html`<strong><bdi>${email}</bdi></strong>`}${after}</p>
          ${
            form &&
            html`<form method="post">
                <input type="hidden" name="proof" value="${form.proof}" />
                <button type="submit">${form.submit}</button>
              </form>
              <p class="hint">${form.ignore}</p>`
          }
        </main>
      </body>
    </html>`;
}
