/** The fields of a phone number: its country, and the number as it is written there. */
import { parseTypedPhone } from '../domain/phone-number.js';
import { isServiceError } from '../errors/service-error.js';
import { html, type Html } from '../html/html.js';
import { FieldError, type Attempt } from '../pages-kit/attempt.js';
import { input, select } from '../pages-kit/fields.js';
import { attempted } from './form.js';
import type { Texts } from './texts/texts.js';
import type { PhoneCountries, TemplatePage } from './views.js';

export interface PhoneInputOptions extends PhoneCountries {
  attempt: Attempt | null;
  /** The number that was typed before. */
  value?: string | undefined;
}

/** A number that starts with + is complete, whatever the country: browsers fill it in like that. */
export function phoneInput(
  { texts }: Pick<TemplatePage, 'texts'>,
  { attempt, countries, country, value }: PhoneInputOptions,
): Html {
  return html`${select({
    name: 'country',
    label: texts.country,
    value: country,
    choices: countries.map(({ code, name, callingCode }) => [code, `${name} (${fromLeft(callingCode)})`]),
  })}
  ${input({
    ...attempted(attempt, 'phone', value),
    label: texts.phone,
    type: 'tel',
    autocomplete: 'tel',
    maxLength: 64,
  })}`;
}

/** Keeps the order of a calling code next to words from right to left (UAX 9, 2.4). */
function fromLeft(callingCode: string): string {
  return `\u2066${callingCode}\u2069`;
}

/** Returns the number in E.164. @throws FieldError */
export function typedPhone(values: URLSearchParams, { errors }: Texts): string {
  try {
    return parseTypedPhone(values.get('phone') ?? '', values.get('country') ?? '').e164;
  } catch (error) {
    if (isServiceError(error)) throw new FieldError('phone', errors.phone);
    throw error;
  }
}
