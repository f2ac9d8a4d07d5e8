/** The countries of phone numbers, in the language of the reader. */
import type { Request } from 'express';
import { acceptedLanguages } from '../domain/language.js';
import { isPhoneCountry } from '../domain/phone-number.js';
import { loadPhoneNumbers } from '../runtime/load.js';
import type { PhoneCountry, PhoneCountries } from './views.js';

/** By language. `Intl.DisplayNames` and a sorted list take longer than the rest of a page. */
export class CountryNames {
  private readonly lists = new Map<string, readonly PhoneCountry[]>();

  /** Returns every country, sorted by its name. */
  in(language: string): readonly PhoneCountry[] {
    const known = this.lists.get(language);
    if (known) return known;
    const names = new Intl.DisplayNames([language], { type: 'region' });
    const { compare } = new Intl.Collator(language);
    const { getCountries, getCountryCallingCode } = loadPhoneNumbers();
    const list = getCountries()
      .map((code) => ({ code, name: names.of(code) ?? code, callingCode: `+${getCountryCallingCode(code)}` }))
      .sort((a, b) => compare(a.name, b.name));
    this.lists.set(language, list);
    return list;
  }
}

/**
 * The countries to choose from, and the one that is chosen first: what was chosen before, else the configured one, else that of the
 * browser's language.
 * @param accepted ISO 3166-1, as the provider returns them.
 */
export function phoneCountriesOf(
  visit: { countryNames: CountryNames; defaultCountry: string | null; language: string; req: Request },
  accepted: readonly string[],
  chosen: string | null,
): PhoneCountries {
  const { countryNames, defaultCountry, language, req } = visit;
  const countries = countryNames.in(language).filter(({ code }) => accepted.includes(code));
  const wanted = [chosen, defaultCountry, ...regionsOf(language, req.headers['accept-language'])];
  const country =
    wanted.find((each) => countries.some(({ code }) => code === each)) ?? countries[0]?.code ?? '';
  return { countries, country };
}

/** The regions that the browser names, and where most readers of the page are. */
function regionsOf(language: string, accepted: string | undefined): string[] {
  const locales = acceptedLanguages(accepted).flatMap((tag) => localeOf(tag) ?? []);
  const regions = [...locales.map(({ region }) => region), localeOf(language)?.maximize().region];
  return regions.flatMap((region) => (region !== undefined && isPhoneCountry(region) ? region : []));
}

function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch {
    return null;
  }
}
