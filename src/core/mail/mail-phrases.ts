/** Phrases of mails: sentences, names and times as the language of the mail writes them. */
import type { TemplateValues } from './senders/email-sender.js';

type Language = Pick<TemplateValues, 'language' | 'texts'>;

/** Returns the sentences as one text. */
export function sentences({ texts }: Language, list: readonly string[]): string {
  return list.join(texts.betweenSentences);
}

/** Returns a name or a number for a sentence. In Arabic, for example, its order must not depend on the words around it (UAX 9, 2.4). */
export function phrase({ texts }: Language, value: string): string {
  return texts.direction === 'rtl' ? `\u2068${value}\u2069` : value;
}

/** Returns a sentence in two parts: a page shows the address between them in its own markup. */
export function aroundAddress(sentence: (email: string) => string): readonly [before: string, after: string] {
  const [before = '', after = ''] = sentence('\0').split('\0');
  return [before, after];
}

/** Returns a phrase such as "in 10 minutes" or "in 7 days". */
export function inTime({ language }: Language, minutes: number): string {
  const [amount, unit] =
    minutes >= 2 * 1440 ? ([Math.round(minutes / 1440), 'day'] as const) : ([minutes, 'minute'] as const);
  // `Intl` sets Chinese digits without the space that stands around them in every other sentence.
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
