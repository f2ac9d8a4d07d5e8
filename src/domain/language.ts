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
  return new Negotiator({ headers })
    .languages()
    .map(toLanguageTag)
    .filter(isLanguageTag)
    .slice(0, maxLanguages);
}

/**
 * Returns the first language of a list that is available, as its tag among `available`, or null. Each is looked up from the most special
 * to the most general: `es-MX` finds `es-MX`, else `es-419`, else `es`, and `zh-HK` finds `zh-Hant-HK`, else `zh-Hant`. A language
 * without its region or script finds one in its usual script: `zh-SG` finds `zh-Hans`, and `zh-TW` does not.
 */
export function findLanguage(tags: readonly string[], available: readonly string[]): string | null {
  for (const spelling of tags) {
    if (available.includes(spelling)) return spelling;
    const tag = toLanguageTag(spelling);
    const found = isLanguageTag(tag) ? (lookUp(tag, available) ?? bySameScript(tag, available)) : undefined;
    if (found !== undefined) return found;
  }
  return null;
}

/**
 * Returns a tag for the spellings of devices and libraries: `zh_TW` and `zh_TW_#Hant` of Java, `pt_BR.UTF-8` of POSIX, `zh-CHT` of .NET,
 * `zh-cmn-Hans` of old browsers.
 */
function toLanguageTag(spelling: string): string {
  return spelling
    .slice(0, maxHeaderLength)
    .replace(/[.@].*/s, '')
    .replace(/^([a-z]{2,3})_([a-z0-9]*)_#([a-z]{4})$/i, '$1-$3-$2')
    .replace(/_/g, '-')
    .replace(/^zh-CHS$/i, 'zh-Hans')
    .replace(/^zh-CHT$/i, 'zh-Hant')
    .replace(/^zh-(?=cmn\b|yue\b)/i, '')
    .replace(/-$/, '');
}

function lookUp(tag: string, available: readonly string[]): string | undefined {
  const tags = available.map((each) => each.toLowerCase());
  const index = generalizations(tag)
    .map((each) => tags.indexOf(each.toLowerCase()))
    .find((each) => each !== -1);
  return index === undefined ? undefined : available[index];
}

/** Regions with a written standard of their own (CLDR, `parentLocales`): America for Spanish, everywhere but Brazil for Portuguese. */
const standards: Readonly<Record<string, { tag: string; regions: string }>> = {
  es: { tag: 'es-419', regions: 'AR BO BR BZ CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV US UY VE' },
  pt: { tag: 'pt-PT', regions: 'AO CH CV FR GQ GW LU MO MZ ST TL' },
};
/** What readers of a language read as well: Cantonese is written as Chinese, and `no` is Bokmål. */
const alsoRead: Readonly<Record<string, string>> = { yue: 'zh', no: 'nb', nb: 'no', nn: 'no' };

/** Returns the tags that may stand for a tag, the most special first. */
function generalizations(tag: string): string[] {
  const locale = localeOf(tag);
  // An invalid locale has neither region nor script: basic lookup (RFC 4647, 3.4).
  if (!locale) return prefixes(tag);
  const { language, region = '', script = '' } = locale.maximize();
  const { tag: standard = '', regions = '' } = standards[language] ?? {};
  const other = alsoRead[language];
  return [
    ...prefixes(tag).filter((each) => each !== language),
    `${language}-${script}-${region}`,
    ...(regions.split(' ').includes(region) ? [standard] : []),
    `${language}-${script}`,
    language,
    ...(other === undefined ? [] : [`${other}-${script}`, other]),
  ];
}

function prefixes(tag: string): string[] {
  const parts = tag.split('-');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
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
