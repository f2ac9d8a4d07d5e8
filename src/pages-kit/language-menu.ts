/** The menu of languages: a form that keeps the choice in a cookie. It works without a script. */
import type { Request, Response } from 'express';
import { internals } from '../core/internals.js';
import { languageCookie } from '../domain/language.js';
import type { Service } from '../engine/service.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { html, type Html } from '../html/html.js';
import { setCookie } from '../http/session-cookie.js';
import type { PageLanguages } from './page-languages.js';

const yearMs = 365 * 24 * 60 * 60_000;

interface LanguageMenu {
  languages: Pick<PageLanguages<unknown>, 'offered' | 'nameOf'>;
  /** Of the page. */
  language: string;
  /** What the menu is, for screen readers. */
  label: string;
  icon: Html;
  /** Null to post to the address of the page. */
  action: string | null;
  fields: readonly (readonly [name: string, value: string])[];
}

/** Null if there is no choice. */
export function languageForm({
  languages,
  language,
  label,
  icon,
  action,
  fields,
}: LanguageMenu): Html | null {
  if (languages.offered.length < 2) return null;
  const ownName = (each: string) => languages.nameOf(each);
  const choices = languages.offered.filter((each) => each !== language);
  // The response is a whole page: the script would keep the language and the direction of this one.
  return html`<details class="languages">
    <summary>${icon}<span class="hidden">${label}: </span>${ownName(language)}</summary>
    <form method="post" ${action !== null && html`action="${action}"`} data-plain>
      ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      ${choices.map(
        (each) =>
          html`<button class="link" name="language" value="${each}" lang="${each}">${ownName(each)}</button>`,
      )}
    </form>
  </details>`;
}

/** Returns the language that the reader has chosen in the menu. @throws InvalidRequestError */
export function chosenLanguage(
  form: URLSearchParams,
  { offered }: Pick<PageLanguages<unknown>, 'offered'>,
): string {
  const language = offered.find((each) => each === form.get('language'));
  if (language === undefined)
    throw new InvalidRequestError('language must be one of the languages of the pages.');
  return language;
}

/** Keeps the choice in the cookie of the browser. Without an end, the browser would forget it with its windows. */
export function keepLanguage(
  { req, res, service }: { req: Request; res: Response; service: Service },
  language: string,
): void {
  const tools = service[internals];
  const expiresAt = new Date(tools.clock() + yearMs);
  setCookie(tools, req, res, languageCookie, language, expiresAt, cookieAttributes);
}

/** Not strict: links in mails come from other sites. */
export const cookieAttributes = { sameSite: 'lax', path: '/', domain: undefined } as const;
