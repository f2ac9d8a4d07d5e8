/**
 * The layout of mails: the brand, paragraphs, codes, buttons and small print, in tables of 600 px that every mail program shows alike.
 * What mail programs support, and the reason for each attribute, is in tests/unit/mail-clients.test.ts.
 */
import { html, type Html } from '../../html/html.js';
import type { Brand } from '../support/brand.js';
import { cell, cellsOf, header, row, small, table, type MailBlock } from './mail-blocks.js';
import { mailColors, type MailColors } from './mail-colors.js';
import { mailHead } from './mail-head.js';
import type { EmailContent, TemplateValues } from './senders/email-sender.js';

export interface MailParts {
  subject: string;
  /** What lists of mails show after the subject. Default: the first paragraph. */
  preview?: string;
  blocks: readonly MailBlock[];
  /** Why the reader gets this mail, below everything. */
  reason?: string;
}

type Values = Pick<TemplateValues, 'brand' | 'language' | 'texts'>;

/** Returns a mail in the layout of the built-in ones, with your brand, as HTML and as text. */
export function mailLayout(values: Values, parts: MailParts): EmailContent {
  return { subject: parts.subject, html: htmlOf(values, parts).text, text: textOf(values, parts) };
}

function textOf({ brand, texts }: Values, { blocks, reason }: MailParts): string {
  const footer = [reason, brand.supportUrl && `${texts.help} ${supportLabel(brand.supportUrl)}`];
  const paragraphs = [...blocks.map(blockText), footer.filter(Boolean).join('\n')];
  return `${paragraphs.filter((text) => text !== '').join('\n\n')}\n`;
}

function blockText(block: MailBlock): string {
  if ('paragraph' in block) return block.paragraph;
  if ('code' in block) return block.code;
  if ('button' in block) return block.url;
  if ('facts' in block) return block.facts.map(([label, value]) => `${label} ${value}`).join('\n');
  return block.note;
}

/** The colors of each brand: computed with its first mail. */
const colorsOfBrands = new WeakMap<Brand, ReturnType<typeof mailColors>>();

function colorsOf(brand: Brand): ReturnType<typeof mailColors> {
  const colors = colorsOfBrands.get(brand) ?? mailColors(brand.accent);
  colorsOfBrands.set(brand, colors);
  return colors;
}

function htmlOf(values: Values, parts: MailParts): Html {
  const { brand, language, texts } = values;
  const { subject, blocks, reason } = parts;
  const { light, dark } = colorsOf(brand);
  const direction = texts.direction === 'rtl' ? 'rtl' : 'ltr';
  const side = direction === 'rtl' ? 'right' : 'left';
  const look = { colors: light, isMirrored: direction === 'rtl' };
  const rows = blocks.flatMap((block) => cellsOf(block, texts.buttonFails, look)).map(row);
  // Mail programs remove the attributes of `html` and `body`, so the element inside has them too.
  return html`<!doctype html>
    <html lang="${language}" dir="${direction}" xmlns:o="urn:schemas-microsoft-com:office:office">
      ${mailHead(subject, dark)}
      <body class="page" style="margin:0;padding:0;background-color:${light.page}">
        <div
          role="article"
          aria-roledescription="email"
          aria-label="${subject}"
          lang="${language}"
          dir="${direction}"
        >
          ${preheader(parts)}
          <table
            ${table}
            width="100%"
            dir="${direction}"
            class="page"
            bgcolor="${light.page}"
            style="background-color:${light.page}"
          >
            <tr>
              <td class="outer" align="center" style="padding:32px 16px;word-break:break-word">
                <!--[if mso]><table ${table} width="600" align="center"><tr><td><![endif]-->
                <table ${table} width="100%" dir="${direction}" style="max-width:600px">
                  <tr>
                    <td
                      class="accent"
                      height="4"
                      bgcolor="${light.accent}"
                      style="height:4px;font-size:0;line-height:0;background-color:${light.accent};border-radius:12px 12px 0 0"
                    >
                      &nbsp;
                    </td>
                  </tr>
                  <tr>
                    <td
                      class="card inner"
                      align="${side}"
                      bgcolor="${light.card}"
                      style="padding:32px 36px 16px;background-color:${light.card};border:1px solid ${light.border};border-top:0;border-radius:0 0 12px 12px;text-align:${side}"
                    >
                      <table ${table} width="100%" dir="${direction}">
                        ${row(header(brand, light))} ${rows}
                      </table>
                    </td>
                  </tr>
                  <tr>
                    <td class="inner" align="${side}" style="padding:20px 36px 0;text-align:${side}">
                      <table ${table} width="100%" dir="${direction}">
                        ${reason !== undefined && row(cell(reason, { ...small, space: 4 }, light))}
                        ${brand.supportUrl !== null && row(support(texts.help, brand.supportUrl, light))}
                      </table>
                    </td>
                  </tr>
                </table>
                <!--[if mso]></td></tr></table><![endif]-->
              </td>
            </tr>
          </table>
        </div>
      </body>
    </html>`;
}

/** Hidden, and followed by characters without a width: lists of mails would show the beginning of the mail after it. */
function preheader({ preview, blocks }: MailParts): Html {
  const first = blocks.find((block) => 'paragraph' in block);
  const shown = preview ?? (first && 'paragraph' in first ? first.paragraph : '');
  const rest = '\u034f\u200c\u00a0'.repeat(80);
  return html`<div
    style="display:none;max-height:0;overflow:hidden;mso-hide:all;font-size:1px;line-height:1px;opacity:0"
  >
    ${shown}${rest}
  </div>`;
}

function support(help: string, url: string, colors: MailColors): Html {
  const link = html`<a class="link" href="${url}" style="color:${colors.link}"
    ><bdi>${supportLabel(url)}</bdi></a
  >`;
  return cell(html`${help} ${link}`, { ...small, space: 4 }, colors);
}

/** Returns the address as readers know it. */
function supportLabel(url: string): string {
  return url.replace(/^(?:mailto:|https:\/\/)/, '').replace(/\/$/, '');
}
