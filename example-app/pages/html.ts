/** Just enough templating: what is put into a page is escaped, and every page has the same frame. */

class Html {
  constructor(readonly text: string) {}
}

type Value = Html | string | number | false | null | undefined | Value[];

/** HTML from a template; everything put into it is text unless it is HTML itself. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(
    parts.map((part, index) => part + (index < values.length ? render(values[index]) : '')).join(''),
  );
}

function render(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === undefined || value === null || value === false) return '';
  return String(value).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

interface Page {
  title: string;
  body: Html;
  /** A file of ../public. */
  script?: string;
  /** The line on top that leads to the inbox; the identity provider is another site and has none. */
  topLine?: boolean;
}

export function page({ title, body, script, topLine = true }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/style.css" />
        ${script && html`<script type="module" src="/${script}"></script>`}
      </head>
      <body>
        ${topLine && top}
        <main>${body}</main>
      </body>
    </html>`.text;
}

// A named target: the inbox opens beside the page that waits for a code, and only once.
const top = html`<header class="top">
  <a href="/" class="brand">Acme</a>
  <a href="/inbox" target="inbox"
    >Mails this example sent<span class="hidden"> (opens in a tab of its own)</span></a
  >
</header>`;

interface Field {
  id: string;
  name: string;
  label: string;
  type: 'email' | 'password' | 'text';
  autocomplete: string;
  hint?: string;
  /** `numeric` brings up digits on a phone. */
  inputmode?: 'numeric';
}

/** A labelled input with its hint and a place for what is wrong with it. */
export function field({ id, name, label, type, autocomplete, hint, inputmode }: Field): Html {
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      ${inputmode && html`inputmode="${inputmode}"`}
      aria-describedby="${id}-error${hint && ` ${id}-hint`}"
      required
    />
    <p class="error" id="${id}-error"></p>
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

/** Where a form says what concerns it as a whole; read out when it changes. */
export const formMessage = html`<p class="error" role="alert" data-message></p>`;

export const needsScript = html`<noscript>
  <p class="notice">These forms need JavaScript. Signing in with the identity provider works without.</p>
</noscript>`;
