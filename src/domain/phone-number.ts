/**
 * Phone numbers: international, in E.164 (docs/decisions/phone-numbers.md). What does not fit is refused, never repaired.
 */
import { InvalidRequestError } from '../errors/catalog.js';
import { loadPhoneNumbers } from '../runtime/load.js';

export interface PhoneNumber {
  /** `+` and 7 to 15 digits: the one form that is stored, compared and sent to. */
  e164: string;
  /** ISO 3166-1, two letters. */
  country: string;
}

// ASCII digits and the punctuation that people write between them; the library alone would read other scripts as well.
const written = /^\+[0-9](?:[0-9 ().-]{5,30})$/;

// Punctuation does not make up for digits: some countries have services of three or four, which no phone is reached by.
const complete = /^\+[0-9]{7,15}$/;

// The 0 of a number at home may stand behind the country. What else the library leaves out, such as the choice of a carrier, makes
// another number of what was typed.
const digitsOf = (text: string) => text.replace(/[^0-9]/g, '').length;

// Whoever sends texts to these is paid for them: the purse of SMS pumping.
const paidTypes = new Set<unknown>(['PREMIUM_RATE', 'SHARED_COST']);

/**
 * @throws InvalidRequestError for what is no international number, has an extension, belongs to no country or is charged at a
 * premium. Judged by length and country and not by the list of ranges in use, which is never up to date.
 */
export function parsePhoneNumber(input: unknown): PhoneNumber {
  const number = typeof input === 'string' && written.test(input) ? read(input) : null;
  if (number === null) {
    throw new InvalidRequestError('phone must be an international phone number, such as +14155552671.');
  }
  return number;
}

function read(text: string): PhoneNumber | null {
  const { parsePhoneNumberWithError } = loadPhoneNumbers();
  try {
    const number = parsePhoneNumberWithError(text, { extract: false });
    // Of a calling code that several countries share, a number in none of their ranges counts as the main one's.
    const country = number.country ?? number.getPossibleCountries()[0];
    if (
      !complete.test(number.number) ||
      digitsOf(text) - digitsOf(number.number) > 1 ||
      // One form: what is kept must not be read as yet another number when it comes again, as one with a second 0 would.
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

/** `+49*******78`: what a log may show. */
export function maskPhoneNumber(e164: string): string {
  return `${e164.slice(0, 3)}${'*'.repeat(Math.max(0, e164.length - 5))}${e164.slice(-2)}`;
}
