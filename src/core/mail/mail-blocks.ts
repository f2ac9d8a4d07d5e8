/** The parts of a mail as cells of a table, of which each row has one. */
import { html, type Html } from '../../html/html.js';
import type { Brand } from '../support/brand.js';
import type { MailColors } from './mail-colors.js';

/** A part of a mail. Every string is plain text: the layout escapes it. */
export type MailBlock =
  | { paragraph: string }
  /** A code to enter: large, and easy to copy. */
  | { code: string }
  /** A link. Its address stands below the button, for mail programs that break it. */
  | { button: string; url: string }
  /** Facts, each with a label such as `Time:`. */
  | { facts: readonly (readonly [label: string, value: string])[] }
  /** Small print. */
  | { note: string };

/** Whatever is not an image, a color or a size is in an attribute: Outlook for Windows shows mails with Word. */
export const table = html`role="presentation" border="0" cellpadding="0" cellspacing="0"`;
const font = html`font-family:-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif`;
const monospace = html`font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace`;

export function row(content: Html): Html {
  return html`<tr>
    ${content}
  </tr> `;
}

interface CellStyle {
  size: number;
  color: 'text' | 'muted';
  /** Below the cell, in pixels. */
  space: number;
}

const usual = { size: 16, color: 'text', space: 20 } as const satisfies CellStyle;
export const small = { size: 13, color: 'muted', space: 20 } as const satisfies CellStyle;

/** Spaces are paddings of cells: Word ignores those of other elements. */
export function cell(content: Html | string, { size, color, space }: CellStyle, colors: MailColors): Html {
  return html`<td
    class="${color}"
    style="padding:0 0 ${space}px;${font};font-size:${size}px;line-height:1.5;color:${colors[color]}"
  >
    ${content}
  </td>`;
}

export function header({ name, mailLogo }: Brand, colors: MailColors): Html {
  const letters = html`${font};font-size:20px;line-height:1.3;font-weight:bold;color:${colors.text}`;
  if (!mailLogo) return html`<td class="text" style="padding:0 0 24px;${letters}"><bdi>${name}</bdi></td>`;
  const { url, dark, width, height } = mailLogo;
  // The alternative text is the name as it is without a logo: most programs show no image before the reader allows it. `text` keeps it
  // readable in the dark.
  const image = (source: string, kind: string, display: Html) =>
    html`<img
      class="${kind} text"
      src="${source}"
      width="${width}"
      height="${height}"
      alt="${name}"
      style="${display};border:0;width:100%;max-width:${width}px;height:auto;${letters}"
    />`;
  const [shown, hidden] = [html`display:block`, html`display:none;mso-hide:all`];
  const images =
    dark === null
      ? image(url, 'logo', shown)
      : html`${image(url, 'on-light', shown)}${image(dark, 'on-dark', hidden)}`;
  return html`<td class="text" style="padding:0 0 24px;color:${colors.text}">${images}</td>`;
}

interface Look {
  colors: MailColors;
  isMirrored: boolean;
}

export function cellsOf(block: MailBlock, buttonFails: string, look: Look): Html[] {
  const { colors } = look;
  if ('paragraph' in block) return [cell(block.paragraph, usual, colors)];
  if ('note' in block) return [cell(block.note, { ...small, size: 14 }, colors)];
  if ('code' in block) return [code(block.code, colors)];
  if ('facts' in block) return [facts(block.facts, look)];
  const { button: label, url } = block;
  return [button(label, url, colors), cell(addressBelow(url, buttonFails, colors), small, colors)];
}

function code(value: string, colors: MailColors): Html {
  return html`<td style="padding:0 0 20px">
    <table ${table} width="100%">
      <tr>
        <td
          class="soft text"
          align="center"
          bgcolor="${colors.soft}"
          style="padding:18px 12px;background-color:${colors.soft};border-radius:8px;${monospace};font-size:28px;line-height:1.3;font-weight:bold;letter-spacing:4px;text-align:center;color:${colors.text}"
        >
          <span dir="ltr">${value}</span>
        </td>
      </tr>
    </table>
  </td>`;
}

/** The padding is that of the link, so that all of the button can be pressed. Word ignores it there, and reads `mso-padding-alt`. */
function button(label: string, url: string, { accent, onAccent }: MailColors): Html {
  return html`<td style="padding:4px 0 20px">
    <table ${table}>
      <tr>
        <td
          class="accent"
          align="center"
          bgcolor="${accent}"
          style="background-color:${accent};border-radius:8px;mso-padding-alt:13px 24px"
        >
          <a
            class="on-accent"
            href="${url}"
            style="display:inline-block;padding:13px 24px;${font};font-size:16px;line-height:1.3;font-weight:bold;text-decoration:none;color:${onAccent};mso-padding-alt:0"
            >${label}</a
          >
        </td>
      </tr>
    </table>
  </td>`;
}

function addressBelow(url: string, buttonFails: string, { link }: MailColors): Html {
  return html`${buttonFails}<br /><a
      class="link"
      href="${url}"
      dir="ltr"
      style="color:${link};word-break:break-all"
      >${url}</a
    >`;
}

function facts(list: readonly (readonly [string, string])[], { colors, isMirrored }: Look): Html {
  const line = html`${font};font-size:14px;line-height:1.5`;
  const space = isMirrored ? html`2px 0 2px 16px` : html`2px 16px 2px 0`;
  const rows = list.map(([label, value]) =>
    row(
      html`<td
          class="muted"
          valign="top"
          style="padding:${space};${line};color:${colors.muted};white-space:nowrap"
        >
          ${label}
        </td>
        <td class="text" valign="top" style="padding:2px 0;${line};color:${colors.text}">
          <bdi>${value}</bdi>
        </td>`,
    ),
  );
  return html`<td style="padding:0 0 20px">
    <table ${table}>
      ${rows}
    </table>
  </td>`;
}
