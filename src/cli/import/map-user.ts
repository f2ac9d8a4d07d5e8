/** Makes the user that the import reads from a row, by the rules of its source. */
import type { ImportedUser } from '../../domain/imported-user.js';
import { isUserRole } from '../../domain/user-roles.js';
import { passwordHashOf } from './password-columns.js';
import type { FieldRules, MapContext, Row, Rule } from './source.js';
import { asFlag, asId, asList, asText, asTimeOrText, cleaned, evaluate, single } from './values.js';

type Field = keyof ImportedUser;

/** How the value of a rule becomes that of a field. Those without an entry are made by their rule. */
const readers: { readonly [Each in Field]?: (value: unknown, context: MapContext) => unknown } = {
  externalId: asId,
  id: asId,
  email: asText,
  emailVerified: proofOf('emailVerified', 'addresses'),
  username: asText,
  phone: asPhone,
  phoneVerified: proofOf('phoneVerified', 'numbers'),
  language: asText,
  createdAt: asTimeOrText,
  lastSignInAt: asTimeOrText,
  passwordHash: passwordHashOf,
  blocked: asBlocked,
  roles: asRoles,
  metadata: (value) => cleaned(value),
};

export function importedUser(rules: FieldRules, row: Row, context: MapContext): ImportedUser {
  const user: Record<string, unknown> = {};
  for (const [field, rule] of Object.entries(rules) as [Field, Rule][]) {
    const value = evaluate(rule, row, context);
    const read = readers[field];
    const result = value === null || value === undefined || !read ? value : read(value, context);
    if (isPresent(result)) user[field] = result;
  }
  return user;
}

function isPresent(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || value instanceof Date || Object.keys(value).length > 0;
}

/** Without the spaces and brackets that people write in numbers. */
function asPhone(value: unknown): string | null {
  const text = asText(single(value))?.replace(/[\s().-]/g, '') ?? null;
  return text && /^00[1-9]/.test(text) ? `+${text.slice(2)}` : text;
}

function proofOf(field: Field, what: string) {
  return (value: unknown, context: MapContext): boolean | null => {
    const only = single(value);
    const flag = asFlag(only);
    if (flag === null && typeof asTimeOrText(only) === 'string')
      context.omit(`values of \`${field}\` that mean neither yes nor no: these ${what} are not verified`);
    return flag;
  };
}

/** A status such as `banned` says what asFlag does not know: users must not be unblocked without a word. */
function asBlocked(value: unknown, context: MapContext): unknown {
  if (typeof value === 'object' && !(value instanceof Date) && !Buffer.isBuffer(value)) return value;
  const flag = asFlag(value);
  if (flag === null && asText(value) !== null)
    context.omit('values of `blocked` that mean neither yes nor no: these users are not blocked');
  return flag;
}

/** Roles of other systems have capitals and spaces. */
function asRoles(value: unknown, context: MapContext): string[] {
  const roles = asList(value).map((role) => role.toLowerCase().replace(/\s+/g, '_'));
  const valid = roles.filter(isUserRole);
  if (valid.length < roles.length) context.omit('roles whose names are not valid here');
  return valid;
}
