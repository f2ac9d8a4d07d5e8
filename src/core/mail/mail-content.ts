/** The layout of the built-in mails: a paragraph, a code or a button, and what is in small print. */
import type { EmailContent, TemplateValues } from './senders/email-sender.js';

const style = {
  body: 'margin:0;padding:32px 16px;background:#f4f4f5;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif;color:#18181b',
  card: 'max-width:440px;margin:0 auto;padding:32px;background:#ffffff;border-radius:12px',
  code: 'margin:24px 0;font:600 32px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px',
  button:
    'display:inline-block;padding:12px 20px;background:#18181b;color:#ffffff;border-radius:8px;text-decoration:none;font-weight:600',
  small: 'margin:24px 0 0;font-size:14px;color:#71717a',
};

export interface Parts {
  subject: string;
  lead: string;
  /** The code to enter or the link to open, and how long it is valid. A notice has neither. */
  action?: Action;
  expiresInMinutes?: number;
  /** A code that can be entered instead of opening the link. Using one of them ends both. */
  alternative?: { lead: string; action: Action; expiresInMinutes: number };
  ignore?: string;
}

export interface Action {
  text: string;
  html: string;
}

type Language = Pick<TemplateValues, 'language' | 'texts'>;

export function mailContent(
  values: Language,
  { subject, ignore = values.texts.ignore, ...parts }: Parts,
): EmailContent {
  const { lead, action, alternative } = parts;
  const small = sentences(values, [...expiry(values, parts), ignore]);
  const lines = [lead, action?.text, alternative?.lead, alternative?.action.text, small];
  const other = alternative ? `${paragraph(alternative.lead)}${alternative.action.html}` : '';
  // Also on the element inside: mail programs remove the attributes of `html` and `body`.
  const language = `lang="${escapeHtml(values.language)}" dir="${values.texts.direction === 'rtl' ? 'rtl' : 'ltr'}"`;
  return {
    subject,
    text: `${lines.filter((line) => line !== undefined).join('\n\n')}\n`,
    html:
      `<!doctype html><html ${language}><body style="${style.body}"><div ${language} style="${style.card}">` +
      `${paragraph(lead)}${action?.html ?? ''}${other}` +
      `<p style="${style.small}">${escapeHtml(small)}</p></div></body></html>`,
  };
}

/** Returns the sentences as one text. */
export function sentences({ texts }: Language, list: readonly string[]): string {
  return list.join(texts.betweenSentences);
}

/** Returns a name or a number for a sentence. In Arabic, for example, its order must not depend on the words around it (UAX 9, 2.4). */
export function phrase({ texts }: Language, value: string): string {
  return texts.direction === 'rtl' ? `\u2068${value}\u2069` : value;
}

/** Returns a phrase such as "in 10 minutes" or "in 7 days". */
export function inTime({ language }: Language, minutes: number): string {
  const [amount, unit] =
    minutes >= 2 * 1440 ? ([Math.round(minutes / 1440), 'day'] as const) : ([minutes, 'minute'] as const);
  // `Intl` sets Chinese digits without the space that stands around them everywhere else in the texts.
  return relativeTimes(language)
    .format(amount, unit)
    .replace(/\d(?=\p{Script=Han})/u, '$& ');
}

/** The formats by language. Creating one took a tenth of the core's time for a code that is sent and verified. */
const formats = new Map<string, Intl.RelativeTimeFormat>();

function relativeTimes(language: string): Intl.RelativeTimeFormat {
  const format = formats.get(language) ?? new Intl.RelativeTimeFormat(language);
  formats.set(language, format);
  return format;
}

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`;
}

function expiry(values: Language, { expiresInMinutes, alternative }: Omit<Parts, 'subject'>): string[] {
  const { texts } = values;
  if (expiresInMinutes === undefined) return [];
  const link = inTime(values, expiresInMinutes);
  if (!alternative) return [texts.expires(link)];
  const code = inTime(values, alternative.expiresInMinutes);
  return [link === code ? texts.bothExpire(link) : texts.linkAndCodeExpire(link, code), texts.oneIsEnough];
}

export function largeCode(code: string): Action {
  return {
    text: code,
    html: `<p style="${style.code}"><span dir="ltr">${escapeHtml(code)}</span></p>`,
  };
}

export function linkButton(label: string, url: string): Action {
  return {
    text: url,
    html: `<p style="margin:24px 0"><a href="${escapeHtml(url)}" style="${style.button}">${escapeHtml(label)}</a></p>`,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
