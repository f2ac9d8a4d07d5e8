/** The languages that the service offers: which of them a reader gets, and the sentences of mails in it. */
import { acceptedLanguages, findLanguage } from '../../domain/language.js';
import { hasUnverifiedAddress, type StoredUser } from '../../domain/user.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import type { RequestContext } from '../sessions/request-context.js';
import type { Brand } from '../support/brand.js';
import { describeError, type Logger } from '../support/logger.js';
import type { EmailContent, TemplateValues } from './senders/email-sender.js';
import { builtInMails } from './texts/built-in.js';
import { en, type MailTexts } from './texts/en.js';

export interface LanguageOptions {
  /** At least one, and the default among them. */
  offered: readonly string[];
  default: string;
  /** The application's own sentences, by language. */
  translations: Readonly<Record<string, MailTexts>>;
}

/** Renders a mail in one language. */
export type Render<Content = EmailContent> = (values: TemplateValues) => Content;

/** For whom a mail is written. */
export interface Reader {
  /** The account of the reader, if there is one. Its choice comes before the language of the request. */
  user?: Pick<StoredUser, 'email' | 'emailVerified' | 'language'> | null;
  /** The request, if the reader has sent it, or invites the reader. */
  context?: RequestContext;
}

export class Languages {
  readonly offered: readonly string[];
  readonly default: string;
  private loading: Promise<ReadonlyMap<string, MailTexts>> | null = null;

  constructor(
    private readonly options: LanguageOptions,
    private readonly brand: Brand,
    private readonly logger: Logger,
  ) {
    this.offered = options.offered;
    this.default = options.default;
  }

  /** Whether every mail has the same language, so that the choice of an account need not be read. */
  get isOne(): boolean {
    return this.offered.length === 1;
  }

  /** Returns the language for a request: the one of its cookie, else the header `Accept-Language`, else the default. */
  ofRequest(cookie: string | undefined, header: string | undefined): string {
    return findLanguage([cookie ?? '', ...acceptedLanguages(header)], this.offered) ?? this.default;
  }

  /**
   * Returns what `render` returns for the language of the reader. If it fails, the other offered languages follow: if a template that
   * fails in one language failed the mail, the accounts that have chosen another language could be recognized.
   * @throws the error for the reader's language, if `render` fails for every language.
   */
  async render<Content>({ user, context }: Reader, render: Render<Content>): Promise<Content> {
    const texts = await this.texts();
    const renderIn = (language: string) =>
      render({ appName: this.brand.name, brand: this.brand, language, texts: texts.get(language) ?? en });
    const requested = findLanguage([context?.language ?? ''], this.offered) ?? this.default;
    // Not found if the application no longer offers the language.
    const own = findLanguage([choiceOf(user) ?? ''], this.offered) ?? requested;
    let failure: { error: unknown } | undefined;
    for (const language of new Set([own, requested, this.default, ...this.offered])) {
      try {
        const content = renderIn(language);
        if (failure) this.logFailure(failure.error, own, language);
        return content;
      } catch (error) {
        failure ??= { error };
      }
    }
    throw failure?.error;
  }

  private logFailure(error: unknown, language: string, usedLanguage: string): void {
    const err = describeError(error);
    this.logger.error({ err, language, usedLanguage }, 'a template failed in a language; another is used');
  }

  /** Returns the sentences for a page that the routes show. */
  async textsFor(language: string): Promise<MailTexts> {
    return (await this.texts()).get(language) ?? en;
  }

  /** Returns a choice of language as it is stored. @throws InvalidRequestError unless it is null or one of the offered tags. */
  parseChoice(language: unknown): string | null {
    const isKnown = language === null || this.offered.some((offered) => offered === language);
    if (isKnown) return language as string | null;
    throw new InvalidRequestError(`language must be null or one of ${this.offered.join(', ')}.`, {
      field: 'language',
    });
  }

  /**
   * Returns the sentences of every language. All of them are loaded at the first mail: if a language were loaded at its own first mail,
   * the time would reveal that an address has an account whose user has chosen it.
   */
  private async texts(): Promise<ReadonlyMap<string, MailTexts>> {
    this.loading ??= this.load();
    try {
      return await this.loading;
    } catch (error) {
      this.loading = null;
      throw error;
    }
  }

  private async load(): Promise<ReadonlyMap<string, MailTexts>> {
    const { offered, translations } = this.options;
    return new Map(
      await Promise.all(
        offered.map(async (language) => {
          const own = Object.hasOwn(translations, language) ? translations[language] : undefined;
          return [language, own ?? (await builtInMails.get(language)?.()) ?? en] as const;
        }),
      ),
    );
  }
}

/** Null for an unverified address: the choice may be that of a stranger who has signed up with the address of the reader. */
function choiceOf(user: Reader['user']): string | null {
  return user && !hasUnverifiedAddress(user) ? user.language : null;
}
