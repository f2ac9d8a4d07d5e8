/** The language of a page: the choice of the browser's user, else what the browser asks for. */
import type { Request } from 'express';
import { readCookie } from '../http/session-cookie.js';
import type { Settings } from './options.js';
import type { Texts } from './texts/texts.js';

export const languageCookie = 'svc_language';

export function languageOf(
  { languages, defaultLanguage }: Settings,
  req: Request,
): { language: string; texts: Texts } {
  const chosen = readCookie(req, languageCookie);
  const asked = [chosen ?? '', ...acceptedLanguages(req)];
  for (const tag of asked) {
    const language = matching(tag, Object.keys(languages));
    const texts = language === undefined ? undefined : languages[language];
    if (language !== undefined && texts) return { language, texts };
  }
  return { language: defaultLanguage, texts: languages[defaultLanguage] as Texts };
}

/** Basic lookup (RFC 4647, 3.4): `de-AT` finds `de`, and `zh-Hans-CN` finds `zh-Hans`, then `zh`. */
function matching(tag: string, available: readonly string[]): string | undefined {
  const parts = tag.toLowerCase().split('-');
  for (let length = parts.length; length > 0; length -= 1) {
    const prefix = parts.slice(0, length).join('-');
    const found = available.find((each) => each.toLowerCase() === prefix);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The languages of the request, the most wanted first (RFC 9110, 12.5.4). */
function acceptedLanguages({ headers }: Request): string[] {
  const header = headers['accept-language']?.slice(0, 500) ?? '';
  return header
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.trim().split(';');
      const quality = parameters.map((each) => /^\s*q=([\d.]+)$/.exec(each)?.[1]).find(Boolean);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ tag, quality }) => /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i.test(tag) && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}
