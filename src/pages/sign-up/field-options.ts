/** The fields of `signUp.fields` on the pages: what the schema says about them, and what `signUpFields` of the pages adds. */
import { isLocale } from '../../domain/language.js';
import { fieldProperties, type FieldProperty } from '../../core/sign-ups/field-properties.js';
import type { SignUpFields } from '../../core/sign-ups/sign-up-fields.js';
import type { OptionFaults } from '../../core/support/options.js';
import { Html } from '../../html/html.js';

/** A text of the application: in one language, or in several by their language tags. `Html` is markup of the tag `html`, such as a link. */
export type PageText<Text = string | Html> = Text | Readonly<Record<string, Text>>;

/** How a field of `signUp.fields` looks. What is absent comes from the schema. */
export interface SignUpFieldOptions {
  /** Default: `title` of the schema, else the name of the field. */
  label?: PageText;
  /** A sentence below the label. Default: `description` of the schema. */
  help?: PageText;
  /** Shown if the schema refuses what was entered. Default: the message of the schema, if it was written for people. */
  error?: PageText<string>;
  type?: SignUpFieldType;
  /** The choices of a `select`, as `[value, label]`. Default: the values of the schema. */
  options?: readonly (readonly [value: string, label: PageText<string>])[];
  /** Fields with a lower number come first. Default 0: in the order of the schema. */
  order?: number;
  /** Whether the field can stay empty. Default: as the schema says, else false. */
  optional?: boolean;
  /** What browsers fill in, such as `organization`. */
  autocomplete?: string;
}

export const signUpFieldTypes = [
  'text',
  'email',
  'tel',
  'url',
  'number',
  'date',
  'select',
  'checkbox',
  'textarea',
] as const;
export type SignUpFieldType = (typeof signUpFieldTypes)[number];

/** A field as the pages know it. */
export interface SignUpField extends Omit<FieldProperty, 'title' | 'description' | 'format' | 'values'> {
  name: string;
  type: SignUpFieldType;
  label: PageText;
  help: PageText | undefined;
  error: PageText<string> | undefined;
  choices: readonly (readonly [value: string, label: PageText<string>])[];
  autocomplete: string | undefined;
}

/**
 * Returns the fields in the order in which they are shown.
 * @param schema `signUp.fields` of the service.
 * @param hasSlot whether the application renders the fields itself.
 */
export function parseSignUpFields(
  faults: OptionFaults,
  schema: SignUpFields | undefined,
  options: Readonly<Record<string, SignUpFieldOptions>> | undefined,
  hasSlot: boolean,
): SignUpField[] {
  const own = faults.entries(options, 'signUpFields') as [string, SignUpFieldOptions][];
  if (!schema) {
    faults.check(
      own.length === 0,
      'signUpFields',
      'describes fields that createService does not have: set signUp.fields',
    );
    return [];
  }
  const properties = fieldProperties(schema);
  const isKnown = properties !== null || options !== undefined || hasSlot;
  faults.check(
    isKnown,
    'signUpFields',
    'is required, because the schema of signUp.fields does not describe itself as JSON Schema: list its fields',
  );
  for (const [name, option] of own) checkOption(faults, name, option, properties);
  const described = new Map(own.filter(([, option]) => isObject(option)));
  const names = new Set([...(properties?.keys() ?? []), ...described.keys()]);
  const fields = [...names].map((name) => toField(name, properties?.get(name), described.get(name) ?? {}));
  for (const { isRequired, kind, name } of fields)
    faults.check(
      !isRequired || (kind !== 'other' && isFieldName(name)),
      `signUpFields.${name}`,
      'cannot be asked for with a form: make it optional in signUp.fields, or give it a type here',
    );
  const orderOf = ({ name }: SignUpField) => described.get(name)?.order ?? 0;
  return fields
    .filter(({ kind, name }) => kind !== 'other' && isFieldName(name))
    .sort((one, other) => orderOf(one) - orderOf(other));
}

const optionNames: readonly (keyof SignUpFieldOptions)[] = [
  'label',
  'help',
  'error',
  'type',
  'options',
  'order',
  'optional',
  'autocomplete',
];

function checkOption(
  faults: OptionFaults,
  name: string,
  option: SignUpFieldOptions,
  properties: Map<string, FieldProperty> | null,
): void {
  const path = `signUpFields.${name}`;
  const check = (isRight: boolean, property: string, message: string) =>
    faults.check(isRight, `${path}.${property}`, message);
  if (properties) faults.named(name, [...properties.keys()], 'signUpFields.');
  faults.check(isFieldName(name), path, 'must have a name of 1 to 64 letters, digits and underscores');
  faults.check(isObject(option), path, 'must be an object');
  if (!isObject(option)) return;
  const { label, help, error, type, options, order, optional, autocomplete, ...others } = option;
  check(label === undefined || isPageText(label), 'label', textForm);
  check(help === undefined || isPageText(help), 'help', textForm);
  check(error === undefined || isPlainText(error), 'error', 'must be a string, or strings by language tag');
  check(
    type === undefined || signUpFieldTypes.includes(type),
    'type',
    `must be one of ${signUpFieldTypes.join(', ')}`,
  );
  check(options === undefined || isChoices(options), 'options', 'must be a list of [value, label]');
  const hasChoices = options !== undefined || (properties?.get(name)?.values ?? []).length > 0;
  check(type !== 'select' || hasChoices, 'options', 'is required for a select: list [value, label]');
  check(order === undefined || Number.isFinite(order), 'order', 'must be a number');
  check(optional === undefined || typeof optional === 'boolean', 'optional', 'must be a boolean');
  check(autocomplete === undefined || typeof autocomplete === 'string', 'autocomplete', 'must be a string');
  for (const [key, value] of Object.entries(others))
    if (value !== undefined) faults.named(key, optionNames, `${path}.`);
}

const textForm = 'must be a string, markup of the tag html, or an object with one of them by language tag';

function toField(name: string, property: FieldProperty | undefined, option: SignUpFieldOptions): SignUpField {
  const { label, help, error, options, optional, autocomplete } = option;
  const type = option.type ?? typeOf(property, options !== undefined);
  const {
    title,
    description,
    format: _format,
    values = [],
    ...limits
  } = property ?? {
    kind: kindOf(type),
    isRequired: true,
  };
  return {
    ...limits,
    kind: limits.kind === 'other' && option.type ? kindOf(type) : limits.kind,
    isRequired: optional === undefined ? limits.isRequired : !optional,
    name,
    type,
    label: label ?? title ?? readable(name),
    help: help ?? description,
    error,
    choices: options ?? values.map((value) => [String(value), readable(String(value))]),
    autocomplete,
  };
}

/** Longer text gets several lines. */
const longText = 200;

function typeOf(property: FieldProperty | undefined, hasChoices: boolean): SignUpFieldType {
  if (hasChoices || property?.values) return 'select';
  if (property?.kind === 'boolean') return 'checkbox';
  if (property?.kind === 'number') return 'number';
  const ofFormat = formats.get(property?.format ?? '');
  return ofFormat ?? ((property?.maxLength ?? 0) > longText ? 'textarea' : 'text');
}

const formats = new Map<string, SignUpFieldType>([
  ['email', 'email'],
  ['uri', 'url'],
  ['date', 'date'],
]);

function kindOf(type: SignUpFieldType): FieldProperty['kind'] {
  if (type === 'checkbox') return 'boolean';
  return type === 'number' ? 'number' : 'string';
}

/** `companySize` is "Company size". */
function readable(name: string): string {
  const words = name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim();
  const [first = '', ...others] = /\p{Lu}\p{Lu}/u.test(words) ? words : words.toLowerCase();
  return first.toUpperCase() + others.join('');
}

/** The names that an error of a sign-up repeats. */
function isFieldName(name: string): boolean {
  return /^\w{1,64}$/.test(name);
}

function isPageText(value: unknown): boolean {
  return isText(value) || (isObject(value) && areByLanguage(value, isText));
}

function isPlainText(value: unknown): boolean {
  return isSentence(value) || (isObject(value) && areByLanguage(value, isSentence));
}

function areByLanguage(value: object, isRight: (text: unknown) => boolean): boolean {
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([language, text]) => isLocale(language) && isRight(text));
}

function isChoices(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (choice: unknown) =>
        Array.isArray(choice) &&
        choice.length === 2 &&
        typeof choice[0] === 'string' &&
        isPlainText(choice[1]),
    )
  );
}

const isSentence = (value: unknown) => typeof value === 'string' && value !== '';
const isText = (value: unknown) => isSentence(value) || value instanceof Html;

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
