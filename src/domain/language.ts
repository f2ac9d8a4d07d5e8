/** Language tags (RFC 5646): what a request asks for, and which of the available languages fits. */
import Negotiator from 'negotiator';

/** The cookie with the language that the user of a browser has chosen. */
export const languageCookie = 'svc_language';

/** In characters. Browsers send less than 200. */
const maxHeaderLength = 500;
/** No language is the tenth choice of a reader. A longer list is work for nothing. */
const maxLanguages = 10;

/** A language tag of at most 35 characters, which RFC 5646, 4.4.1 recommends as a limit. */
export function isLanguageTag(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 35 && /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(value);
}

/** Whether a language tag can be used with `Intl`. */
export function isLocale(value: unknown): value is string {
  return isLanguageTag(value) && localeOf(value) !== null;
}

/** Returns the languages of the header `Accept-Language`, the most wanted first (RFC 9110, 12.5.4). */
export function acceptedLanguages(header = ''): string[] {
  const headers = { 'accept-language': header.slice(0, maxHeaderLength) };
  return new Negotiator({ headers }).languages().filter(isLanguageTag).slice(0, maxLanguages);
}

/**
 * Returns the first language of a list that is available, as its tag among `available`, or null. `de-AT` finds `de` (basic lookup, RFC
 * 4647, 3.4). A language without its script finds the one in its usual script: `zh` and `zh-SG` find `zh-Hans`, and `zh-TW` does not.
 */
export function findLanguage(tags: readonly string[], available: readonly string[]): string | null {
  for (const tag of tags) {
    const found = isLanguageTag(tag) ? (lookUp(tag, available) ?? bySameScript(tag, available)) : undefined;
    if (found !== undefined) return found;
  }
  return null;
}

function lookUp(tag: string, available: readonly string[]): string | undefined {
  const parts = tag.toLowerCase().split('-');
  for (let length = parts.length; length > 0; length -= 1) {
    const prefix = parts.slice(0, length).join('-');
    const found = available.find((each) => each.toLowerCase() === prefix);
    if (found !== undefined) return found;
  }
  return undefined;
}

function bySameScript(tag: string, available: readonly string[]): string | undefined {
  const written = writtenLanguage(tag);
  return written === null ? undefined : available.find((each) => writtenLanguage(each) === written);
}

/** The language and its script, such as `zh-Hans`. Null for a tag that is not valid. */
function writtenLanguage(tag: string): string | null {
  const { language, script } = localeOf(tag)?.maximize() ?? {};
  return script === undefined ? null : `${language}-${script}`;
}

function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch {
    return null;
  }
}
