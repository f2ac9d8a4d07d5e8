/**
 * Phone numbers: international, in E.164 (docs/decisions/phone-numbers.md). Malformed numbers are
 * rejected, never repaired.
 */
import type { CountryCode } from 'libphonenumber-js/max';
import { InvalidRequestError } from '../errors/catalog.js';
import { typedPhone } from './typed-text.js';
import { loadPhoneNumbers } from '../runtime/load.js';

export interface PhoneNumber {
  /** `+` and 7 to 15 digits. The only form that is stored, compared and sent to. */
  e164: string;
  /** ISO 3166-1, two letters. */
  country: string;
}

// ASCII digits and the punctuation that people write between them.
const written = /^\+[0-9](?:[0-9 ().-]{5,30})$/;

// Checked without punctuation: some countries have service numbers of three or four digits, which
// belong to no phone.
const complete = /^\+[0-9]{7,15}$/;

// The trunk prefix 0 may follow the country code. If the library drops anything else, such as a
// carrier code, the result is not the number that was entered.
const digitsOf = (text: string) => text.replace(/[^0-9]/g, '').length;

// Attackers earn money with text messages to these numbers (SMS pumping).
const paidTypes = new Set<unknown>(['PREMIUM_RATE', 'SHARED_COST']);

/**
 * Parses a phone number. It is checked by length and country, not by the list of ranges in use,
 * which is never up to date.
 * @throws InvalidRequestError if it is not an international number, has an extension, belongs to no
 * country or is charged at a premium rate.
 */
export function parsePhoneNumber(input: unknown): PhoneNumber {
  const text = typeof input === 'string' && input.length <= 64 ? typedPhone(input) : '';
  const number = written.test(text) ? read(text) : null;
  if (number === null) {
    throw new InvalidRequestError('phone must be an international phone number, such as +14155552671.');
  }
  return number;
}

/** What people write between the digits of a number of their own country. */
const writtenAtHome = /^[0-9(][0-9 ()./-]{2,30}$/;

/**
 * Parses a phone number as it was typed into a form: an international one if it starts with +, otherwise one of the country.
 * @param country ISO 3166-1, two letters. @throws InvalidRequestError as `parsePhoneNumber`, also for an unknown country.
 */
export function parseTypedPhone(input: string, country: string): PhoneNumber {
  const text = input.length <= 64 ? typedPhone(input) : '';
  const isNational = writtenAtHome.test(text) && isPhoneCountry(country);
  return parsePhoneNumber(isNational ? internationalOf(text, country as CountryCode) : text);
}

/** Returns whether a country, in two letters of ISO 3166-1, has phone numbers. */
export function isPhoneCountry(country: string): boolean {
  return loadPhoneNumbers().isSupportedCountry(country);
}

function internationalOf(text: string, defaultCountry: CountryCode): string {
  try {
    return loadPhoneNumbers().parsePhoneNumberWithError(text, { defaultCountry, extract: false }).number;
  } catch {
    return '';
  }
}

function read(text: string): PhoneNumber | null {
  const { parsePhoneNumberWithError } = loadPhoneNumbers();
  try {
    const number = parsePhoneNumberWithError(text, { extract: false });
    // If several countries share the calling code and the number is in none of their ranges, it
    // belongs to the main country.
    const country = number.country ?? number.getPossibleCountries()[0];
    if (
      !complete.test(number.number) ||
      digitsOf(text) - digitsOf(number.number) > 1 ||
      // The stored form must parse as the same number again. A number with a second 0 would not.
      parsePhoneNumberWithError(number.number).number !== number.number ||
      !number.isPossible() ||
      number.isNonGeographic() ||
      country === undefined
    )
      return null;
    return number.ext === undefined && !paidTypes.has(number.getType())
      ? { e164: number.number, country }
      : null;
  } catch {
    return null;
  }
}

/** Returns the number as logs may show it, such as `+49*******78`. */
export function maskPhoneNumber(e164: string): string {
  return `${e164.slice(0, 3)}${'*'.repeat(Math.max(0, e164.length - 5))}${e164.slice(-2)}`;
}
