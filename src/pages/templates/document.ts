/** The document of every page: its head, and the body around the frame. */
import { html, type DocumentView, type Html, type TemplatePage } from '../template.js';

export function document(page: TemplatePage, view: DocumentView): Html {
  const { bodyClass, colorScheme, content, files, icon, title } = view;
  const { language, texts } = page;
  return html`<!doctype html>
    <html lang="${language}" dir="${texts.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="${colorScheme}" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="icon" href="${icon}" />
        ${files}
      </head>
      <body class="${bodyClass}">
        <a class="skip" href="#main">${texts.skip}</a>
        ${content}
      </body>
    </html>`;
}
