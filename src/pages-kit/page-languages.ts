/** The language of a page: the choice of the account, else that of the browser's user, else what the browser asks for. */
import type { Request } from 'express';
import { acceptedLanguages, findLanguage, languageCookie } from '../domain/language.js';
import { readCookie } from '../http/session-cookie.js';

export interface PageLanguage<Texts> {
  /** Language tag. */
  language: string;
  texts: Texts;
}

/** What the package has: English, and what loads each language. */
export interface BuiltIn<Texts> {
  english: Texts;
  languages: ReadonlyMap<string, () => Promise<Texts>>;
}

export class PageLanguages<Texts> {
  private readonly loaded: Map<string, Texts>;
  private readonly names = new Map<string, string>();
  /** A page asks several times. */
  private readonly wanted = new WeakMap<Request, string>();

  /**
   * @param builtIn the sentences of these pages.
   * @param offered language tags. Each is built in, or among `own`.
   * @param own the languages of the application.
   */
  constructor(
    private readonly builtIn: BuiltIn<Texts>,
    readonly offered: readonly string[],
    readonly usual: string,
    own: Readonly<Record<string, Texts>> = {},
  ) {
    this.loaded = new Map([['en', builtIn.english], ...Object.entries(own)]);
  }

  /** Loads what `ofRequest` returns. */
  async prepare(req: Request): Promise<void> {
    await this.load(this.wantedBy(req));
  }

  /** After `prepare`: an error page before it is in English. */
  ofRequest(req: Request): PageLanguage<Texts> {
    const language = this.wantedBy(req);
    const texts = this.loaded.get(language);
    return texts ? { language, texts } : { language: 'en', texts: this.builtIn.english };
  }

  /** Returns the language that the user has chosen for the account, else that of the request. */
  async ofUser(chosen: string | null, ofRequest: PageLanguage<Texts>): Promise<PageLanguage<Texts>> {
    const language = chosen === null ? null : findLanguage([chosen], this.offered);
    return language ? { language, texts: await this.load(language) } : ofRequest;
  }

  /** Loads the language that the user has chosen, if there is one: `ofRequest` returns it from then on. */
  async prefer(req: Request, chosen: string | null): Promise<void> {
    const { language } = await this.ofUser(chosen, this.ofRequest(req));
    this.wanted.set(req, language);
  }

  /** Returns the name of a language of the pages in that language, with a capital letter, as its speakers know it. */
  nameOf(language: string): string {
    const known = this.names.get(language);
    if (known !== undefined) return known;
    // `Intl.DisplayNames` takes longer to create than the rest of a page.
    const [first = '', ...others] =
      new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
    const name = first.toLocaleUpperCase(language) + others.join('');
    this.names.set(language, name);
    return name;
  }

  private wantedBy(req: Request): string {
    const language = this.wanted.get(req) ?? this.negotiate(req);
    this.wanted.set(req, language);
    return language;
  }

  private negotiate(req: Request): string {
    const tags = [
      readCookie(req, languageCookie) ?? '',
      ...acceptedLanguages(req.headers['accept-language']),
    ];
    return findLanguage(tags, this.offered) ?? this.usual;
  }

  private async load(language: string): Promise<Texts> {
    const { english, languages } = this.builtIn;
    const texts = this.loaded.get(language) ?? (await languages.get(language)?.()) ?? english;
    this.loaded.set(language, texts);
    return texts;
  }
}
