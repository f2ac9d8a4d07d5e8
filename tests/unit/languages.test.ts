// The languages of mails and text messages: which one a reader gets, and what the configuration accepts.
// cspell:ignore Koden Länk Egal
import { acceptedLanguages, findLanguage } from '../../src/domain/language.js';
import { languageOptions } from '../../src/core/mail/language-options.js';
import { Languages } from '../../src/core/mail/languages.js';
import { builtInMails } from '../../src/core/mail/texts/built-in.js';
import { en } from '../../src/core/mail/texts/en.js';
import { plainBrand } from '../support/every-mail.js';
import { silentLogger } from '../../src/core/support/logger.js';

describe('Accept-Language', () => {
  it.each([
    ['de, en;q=0.5', ['de', 'en']],
    ['en;q=0.5, de;q=0.9, fr', ['fr', 'de', 'en']],
    ['de;q=0, en', ['en']],
    ['de;q=NaN, en;q=1.000', ['en']],
    ['*, de;q=0.1', ['de']],
    ['de ; q=0.5 , en', ['en', 'de']],
    ['<script>, de', ['de']],
    ['pt_BR, zh_TW;q=0.5', ['pt-BR', 'zh-TW']],
    ['', []],
    [undefined, []],
  ])('%s asks for %j', (header, expected) => {
    expect(acceptedLanguages(header)).toEqual(expected);
  });

  it('reads at most ten languages of a header with ten thousand', () => {
    const header = Array.from({ length: 10_000 }, (_, i) => `x${i.toString(36)}`).join(',');
    expect(acceptedLanguages(header).length).toBeLessThanOrEqual(10);
  });
});

describe('findLanguage()', () => {
  const available = ['en', 'de', 'pt', 'zh-Hans', 'fr-CA'];

  it.each([
    ['de', 'de'],
    ['DE-at', 'de'],
    ['pt-BR', 'pt'],
    ['fr-CA', 'fr-CA'],
    ['fr', 'fr-CA'],
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans'],
    ['zh-SG', 'zh-Hans'],
    ['zh-Hans-HK', 'zh-Hans'],
    ['zh-TW', null],
    ['zh-Hant', null],
    ['tlh', null],
    ['__proto__', null],
    ['constructor', null],
    ['toString', null],
    ['d', null],
    ['de_AT', 'de'],
    ['de-', 'de'],
    ['-de', null],
    ['de_AT.UTF-8', 'de'],
    ['', null],
    [`de-${'x'.repeat(40)}`, null],
  ])('%s finds %j', (tag, expected) => {
    expect(findLanguage([tag], available)).toBe(expected);
  });

  it.each([
    ['es-MX', 'es-419'],
    ['es-419', 'es-419'],
    ['es-US', 'es-419'],
    ['es-ES', 'es'],
    ['es-GQ', 'es'],
    ['es', 'es'],
    ['pt-AO', 'pt-PT'],
    ['pt_MZ', 'pt-PT'],
    ['pt-PT', 'pt-PT'],
    ['pt', 'pt'],
    ['pt-BR', 'pt'],
    ['pt-US', 'pt'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant-HK'],
    ['zh-MO', 'zh-Hant'],
    ['zh_TW', 'zh-Hant'],
    ['zh_TW_#Hant', 'zh-Hant'],
    ['zh__#Hans', 'zh-Hans'],
    ['zh-CHT', 'zh-Hant'],
    ['zh-chs', 'zh-Hans'],
    ['zh-cmn-Hant', 'zh-Hant'],
    ['cmn-Hans-CN', 'zh-Hans'],
    ['yue', 'zh-Hant'],
    ['zh-yue-HK', 'zh-Hant'],
    ['yue-Hans-CN', 'zh-Hans'],
    ['zh', 'zh-Hans'],
    ['no', 'nb'],
    ['nn-NO', null],
    ['iw', 'he'],
    ['sr-Latn-RS', null],
  ])('%s finds %j among languages that differ by region and script', (tag, expected) => {
    const regional = [
      'es',
      'es-419',
      'pt',
      'pt-PT',
      'zh-Hans',
      'zh-Hant',
      'zh-Hant-HK',
      'nb',
      'he',
      'sr-Cyrl',
    ];
    expect(findLanguage([tag], regional)).toBe(expected);
  });

  it('finds a tag that is available as it is before a more special one', () => {
    expect(findLanguage(['zh'], ['zh-Hans', 'zh'])).toBe('zh');
  });

  it('returns the first language of the list that is available', () => {
    expect(findLanguage(['tlh', 'zh-TW', 'pt-PT', 'de'], available)).toBe('pt');
  });
});

describe('the option languages', () => {
  const faultsOf = (input: unknown) =>
    languageOptions
      .safeParse(input)
      .error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];

  it('offers every built-in language by default', () => {
    expect(languageOptions.parse({}).offered).toEqual([...builtInMails.keys()]);
    expect(languageOptions.parse({}).default).toBe('en');
  });

  it('offers the languages of translations in addition, unless offered names others', () => {
    expect(languageOptions.parse({ translations: { sv: en } }).offered).toContain('sv');
    expect(
      languageOptions.parse({ translations: { sv: en }, offered: ['sv'], default: 'sv' }).offered,
    ).toEqual(['sv']);
  });

  it('names each fault', () => {
    expect(faultsOf({ offered: [] })[0]).toMatch(/^offered /);
    expect(faultsOf({ offered: ['en', 'tlh'] })).toEqual([
      expect.stringMatching(/^offered\.1 must be one of en, /),
    ]);
    expect(faultsOf({ offered: ['de'] })).toEqual(['default must be one of the languages in offered']);
    expect(faultsOf({ translations: { 'a-b': en } })[0]).toMatch(/^translations\.a-b /);
    expect(faultsOf({ default: '<b>' })).toEqual(['default must be a language tag such as de or pt-BR']);
  });

  it('names each text that is missing or is not a text', () => {
    const { signInCode: _omitted, ...others } = en;
    expect(faultsOf({ translations: { sv: others } })).toEqual(['translations.sv.signInCode is missing']);
    const wrong = {
      ...en,
      ignore: () => '',
      signInCode: { ...en.signInCode, lead: 'Koden:' },
      magicLink: 'Länk',
    };
    expect(faultsOf({ translations: { sv: wrong } })).toEqual([
      'translations.sv.ignore must be a string',
      'translations.sv.signInCode.lead must be a function',
      'translations.sv.magicLink must be an object',
    ]);
  });
});

describe('Languages', () => {
  const verified = (language: string | null) => ({ email: 'ada@example.com', emailVerified: true, language });
  const make = (options: Partial<ConstructorParameters<typeof Languages>[0]> = {}, logger = silentLogger) =>
    new Languages(
      { offered: ['en', 'de', 'fr'], default: 'en', translations: {}, ...options },
      plainBrand('Acme'),
      logger,
    );
  const rendered = (languages: Languages, reader: Parameters<Languages['render']>[0]) =>
    languages.render(reader, ({ language }) => language);

  it('the choice of the account comes before the request, and the request before the default', async () => {
    const languages = make();
    const context = { language: 'fr-CH' };
    expect(await rendered(languages, { user: verified('de'), context })).toBe('de');
    expect(await rendered(languages, { user: verified(null), context })).toBe('fr');
    expect(await rendered(languages, { context })).toBe('fr');
    expect(await rendered(languages, { user: null, context: { language: 'tlh' } })).toBe('en');
    expect(await rendered(languages, {})).toBe('en');
  });

  it('a language that is no longer offered is as no choice', async () => {
    expect(await rendered(make({ offered: ['en', 'fr'] }), { user: verified('de') })).toBe('en');
  });

  it('a stranger who has signed up with an address does not choose the language of its mails', async () => {
    const user = { ...verified('de'), emailVerified: false };
    expect(await rendered(make(), { user, context: { language: 'fr' } })).toBe('fr');
    expect(await rendered(make(), { user: { ...user, email: null } })).toBe('de');
  });

  const fails =
    (...broken: string[]) =>
    ({ language }: { language: string }) => {
      if (broken.includes(language)) throw new Error(`no ${language}`);
      return language;
    };

  it('a template is called once', async () => {
    const context = { language: 'fr' };
    for (const user of [undefined, null, verified('de'), verified('fr'), verified(null)]) {
      const calls: string[] = [];
      await make().render({ user, context }, ({ language }) => calls.push(language));
      expect(calls).toHaveLength(1);
    }
  });

  it('a template that fails in some languages sends every account a mail in another, and is logged', async () => {
    const logged: object[] = [];
    const logger = { ...silentLogger, error: (fields: object) => void logged.push(fields) };
    const languages = make({}, logger);
    const context = { language: 'fr' };
    expect(await languages.render({ user: verified('de'), context }, fails('de'))).toBe('fr');
    expect(await languages.render({ user: verified('de'), context }, fails('de', 'fr'))).toBe('en');
    for (const user of [null, verified(null)])
      expect(await languages.render({ user, context }, fails('fr', 'en'))).toBe('de');
    const used = logged.map((fields) => (fields as { usedLanguage: string }).usedLanguage);
    expect(used).toEqual(['fr', 'en', 'de', 'de']);
  });

  it('a template that fails in every language fails for every account, with the error of its language', async () => {
    const context = { language: 'fr' };
    const broken = fails('de', 'en', 'fr');
    for (const user of [null, verified(null)])
      await expect(make().render({ user, context }, broken)).rejects.toThrow('no fr');
    await expect(make().render({ user: verified('de'), context }, broken)).rejects.toThrow('no de');
  });

  it('the application replaces a built-in language with its own sentences', async () => {
    const languages = make({ translations: { de: { ...en, ignore: 'Egal.' } } });
    const ignored = await languages.render({ user: verified('de') }, ({ texts }) => texts.ignore);
    expect(ignored).toBe('Egal.');
  });
});
