/**
 * The head of a mail: what mail programs read before its content. Styles are inlined in the body, because some programs remove the head;
 * it has only what cannot be inlined, such as the colors of the dark mode (docs/decisions/mail-layout.md).
 */
import { html, type Html } from '../../html/html.js';
import type { MailColors } from './mail-colors.js';

/** What a class of the layout gets in the dark. */
const darkRules = [
  ['page', 'background-color', 'page'],
  ['card', 'background-color', 'card'],
  ['soft', 'background-color', 'soft'],
  ['accent', 'background-color', 'accent'],
  ['text', 'color', 'text'],
  ['muted', 'color', 'muted'],
  ['link', 'color', 'link'],
  ['on-accent', 'color', 'onAccent'],
  ['card', 'border-color', 'border'],
] as const satisfies readonly (readonly [string, string, keyof MailColors])[];

/** Outlook for Windows shows mails with Word: on screens of high resolution, it scales images but no other sizes without this. */
// prettier-ignore
const forWord = html`<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>td, a, span { font-family: Arial, sans-serif !important; }</style><![endif]-->`;

export function mailHead(title: string, dark: MailColors): Html {
  const colors = darkRules.map(([name, property, color]) => [name, property, dark[color]] as const);
  const rules = colors.map(
    ([name, property, color]) => html`.${name} { ${property}: ${color} !important; } `,
  );
  // The apps of Outlook and outlook.com mark what they have recolored: `ogsc` the text, `ogsb` the ground.
  const ofOutlook = colors
    .filter(([, property]) => property !== 'border-color')
    .map(([name, property, color]) => {
      const mark = property === 'color' ? 'data-ogsc' : 'data-ogsb';
      return html`[${mark}] .${name} { ${property}: ${color} !important; } `;
    });
  return html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="x-apple-disable-message-reformatting" />
    <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no" />
    <meta name="color-scheme" content="light dark" />
    <meta name="supported-color-schemes" content="light dark" />
    <title>${title}</title>
    ${forWord}
    <style>
      :root {
        color-scheme: light dark;
        supported-color-schemes: light dark;
      }
      @media (max-width: 480px) {
        .outer {
          padding: 16px 8px !important;
        }
        .inner {
          padding: 24px 20px 8px !important;
        }
      }
      @media (prefers-color-scheme: dark) {
        ${rules} .on-light {
          display: none !important;
        }
        .on-dark {
          display: block !important;
        }
      }
    </style>
    <style>
      ${ofOutlook} [data-ogsc] .on-light {
        display: none !important;
      }
      [data-ogsc] .on-dark {
        display: block !important;
      }
    </style>
  </head>`;
}
