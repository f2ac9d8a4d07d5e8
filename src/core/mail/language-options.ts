/** The option `languages` of the configuration. */
import * as z from 'zod';
import { isLocale } from '../../domain/language.js';
import { textFaults } from '../support/text-faults.js';
import type { LanguageOptions } from './languages.js';
import { builtInMails } from './texts/built-in.js';
import { en, type MailTexts } from './texts/en.js';

const tag = z.custom<string>(isLocale, 'must be a language tag such as de or pt-BR');

export const languageOptions = z
  .strictObject({
    offered: z
      .array(tag)
      .min(1)
      .optional()
      .describe(
        'Tags of the languages that mails, text messages and pages may have. Default: the built-in ones, and those of `translations`.',
      ),
    default: tag.default('en').describe('The language of a reader who has asked for none of them.'),
    translations: z
      .record(
        tag,
        z.custom<MailTexts>((value) => typeof value === 'object' && value !== null, 'must be an object'),
      )
      .default({})
      .describe(
        'Your own languages, or your own words in a built-in one: the sentences of mails and text messages by language tag, as objects of the type `MailTexts`.',
      ),
  })
  .superRefine(({ offered, default: usual, translations }, context) => {
    const fault = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    for (const [language, own] of Object.entries(translations))
      for (const { path, message } of textFaults(own, en))
        fault(['translations', language, ...path], message);
    const known = [...builtInMails.keys(), ...Object.keys(translations)];
    for (const [index, language] of (offered ?? []).entries())
      if (!known.includes(language))
        fault(['offered', index], `must be one of ${known.join(', ')}, or have sentences in translations`);
    if (!(offered ?? known).includes(usual)) fault(['default'], 'must be one of the languages in offered');
  })
  .transform(({ offered, ...options }): LanguageOptions => ({
    ...options,
    offered: [...new Set(offered ?? [...builtInMails.keys(), ...Object.keys(options.translations)])],
  }));
