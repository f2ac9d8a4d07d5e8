/** The application's fields in the forms of a sign-up: shown, read, and refused next to each field. */
import type { InvalidRequestError } from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import { Html } from '../../html/html.js';
import { FieldErrors } from '../../pages-kit/attempt.js';
import type { Visit } from '../page.js';
import type { SignUpFieldView } from '../views.js';
import type { PageText, SignUpField } from './field-options.js';

/** In front of the names of the application's fields in a form. */
const prefix = 'fields.';

/** Returns the fields in the language of the page. */
export function fieldViews(visit: Visit): SignUpFieldView[] {
  return visit.signUpFields.map((field) => {
    const { autocomplete, choices, help, isRequired, label, maxLength, name, type } = field;
    return {
      name: prefix + name,
      type,
      label: inLanguage(label, visit),
      help: help === undefined ? null : inLanguage(help, visit),
      isRequired,
      choices: choices.map(([value, text]) => [value, inLanguage(text, visit)] as const),
      ...(autocomplete !== undefined && { autocomplete }),
      ...(maxLength !== undefined && { maxLength }),
    };
  });
}

/** Returns the values of a form, as the schema expects them. A field that was left empty is absent. */
export function fieldsIn(values: URLSearchParams, { signUpFields }: Visit): Record<string, unknown> {
  const known = new Map(signUpFields.map((field) => [field.name, field]));
  const sent = [...new Set(values.keys())].filter((key) => key.startsWith(prefix));
  const names = new Set([...known.keys(), ...sent.map((key) => key.slice(prefix.length))]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = valueOf(values.get(prefix + name), known.get(name));
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Browsers do not send a box that is not checked. */
function valueOf(sent: string | null, field: SignUpField | undefined): unknown {
  if (field?.kind === 'boolean') return sent !== null && sent !== '' && sent !== 'false';
  const text = sent?.trim() ?? '';
  if (text === '') return undefined;
  const number = Number(text);
  return field?.kind === 'number' && Number.isFinite(number) ? number : sent;
}

/** Returns what the page sees by itself: required fields that are empty, by the name of the field in the form. */
export function emptyFields(values: URLSearchParams, visit: Visit): Map<string, string> {
  const { missing } = visit.texts.signUp.fields;
  const sent = fieldsIn(values, visit);
  const empty = visit.signUpFields.filter(({ isRequired, mustBeTrue, name }) =>
    mustBeTrue ? isRequired && sent[name] !== true : isRequired && sent[name] === undefined,
  );
  return new Map(
    empty.map(({ name, type }) => [
      prefix + name,
      type === 'checkbox' ? missing.box : type === 'select' ? missing.choice : missing.text,
    ]),
  );
}

/** Sees what the page itself can see. @throws FieldErrors for required fields that are empty. */
export function refuseEmptyFields(values: URLSearchParams, visit: Visit): void {
  const missing = emptyFields(values, visit);
  if (missing.size > 0) throw new FieldErrors(missing);
}

/**
 * Runs a sign-up, and says what the schema has refused next to each field.
 * @throws FieldErrors; every other error as it is.
 */
export async function withFieldErrors<Result>(
  values: URLSearchParams,
  visit: Visit,
  signUp: () => Promise<Result>,
): Promise<Result> {
  try {
    return await signUp();
  } catch (error) {
    const isAboutFields = isServiceError(error) && error.code === 'invalid_request';
    const { issues } = isAboutFields ? (error as InvalidRequestError) : {};
    if (!issues || issues.length === 0) throw error;
    const errors = new Map(
      issues.map(({ field, message }) => {
        const known = visit.signUpFields.find(({ name }) => prefix + name === field);
        // A field that the form does not show, or the fields as a whole.
        const place = known || visit.slots.signUp ? field : '';
        return [place === 'fields' ? '' : place, sentenceFor(message, known, values, visit)] as const;
      }),
    );
    throw new FieldErrors(errors);
  }
}

/** The text of the application, else the message of its schema, else a built-in sentence. */
function sentenceFor(
  message: string,
  field: SignUpField | undefined,
  values: URLSearchParams,
  visit: Visit,
): string {
  if (field?.error !== undefined) return inLanguage(field.error, visit);
  if (isForPeople(message)) return message;
  const { errors, signUp } = visit.texts;
  const { fields } = signUp;
  if (!field) return errors.invalid;
  const { maxLength, maximum, minLength, minimum, name, type } = field;
  const value = (values.get(prefix + name) ?? '').trim();
  if (type === 'email') return errors.email;
  if (field.kind === 'number') {
    if (value !== '' && minimum !== undefined && Number(value) < minimum) return fields.min(minimum);
    if (value !== '' && maximum !== undefined && Number(value) > maximum) return fields.max(maximum);
    return fields.number;
  }
  if (minLength !== undefined && value.length < minLength) return fields.short;
  if (maxLength !== undefined && value.length > maxLength) return fields.long;
  return fields.invalid;
}

/** The messages that zod, valibot and ArkType have by default describe types, for developers. */
const technical =
  /^$|^(?:Invalid (?:input|option|string|type|length|value|union|literal|enum value|format|key|element)\b|Too (?:small|big): expected|Unrecognized key|Required$|Expected \w+, received|(?:String|Number|Array) must )|\(was .*\)$/;

function isForPeople(message: string): boolean {
  return !technical.test(message);
}

/** Returns the text in the language of the page, else in that without its region, else in the usual language of the pages, else the first. */
export function inLanguage<Text extends string | Html>(
  text: PageText<Text>,
  { language, languages }: Pick<Visit, 'language' | 'languages'>,
): Text {
  // The compiler does not narrow the generic type without the assertions.
  /* eslint-disable @typescript-eslint/no-unnecessary-type-assertion */
  if (typeof text === 'string' || text instanceof Html) return text as Text;
  const byLanguage = text as Readonly<Record<string, Text>>;
  /* eslint-enable @typescript-eslint/no-unnecessary-type-assertion */
  const wanted = [language, language.split('-')[0]!, languages.usual].find((each) =>
    Object.hasOwn(byLanguage, each),
  );
  return wanted === undefined ? Object.values(byLanguage)[0]! : byLanguage[wanted]!;
}
