/** PostgreSQL as a dialect of ../portable: what its marks mean, and how its unique keys are called there. */
import { keepMark } from '../portable/dialect.js';
import type { Marks } from '../portable/statements.js';
import { epochMs } from './expressions.js';

export const postgresMarks: Marks = (name, argument) => {
  if (name === 'lock') return argument === 'rows' ? 'for no key update' : 'for update';
  if (name === 'share') return 'for share';
  if (name === 'skip') return 'for update skip locked';
  // A limit that the planner does not know counts as a tenth of the rows. With one above its estimate, which is too small before the
  // first `analyze`, it would read and sort them all.
  if (name === 'limit') return `limit (select ${argument})`;
  if (name === 'ms') return epochMs(argument);
  if (name === 'asJson') return `cast(${argument} as text)`;
  if (name === 'asList') return `cast(array_to_json(${argument}) as text)`;
  // Null for no roles, so that the index has only users with roles.
  if (name === 'toList')
    return `nullif(array(select jsonb_array_elements_text(cast(${argument} as jsonb))), cast('{}' as text[]))`;
  if (name === 'past') {
    const [time, id, past] = argument.split(', ');
    return `(${time}, ${id}) ${past} (:afterTime, :afterId)`;
  }
  // `~>~` compares bytes, as the operator class of the indexes does.
  if (name === 'begins')
    return `${argument} like cast(:pattern as text) and ${argument} ~>~ cast(:after as text)`;
  if (name === 'contains') return `${argument} like cast(:containedPattern as text)`;
  if (name === 'bytewise') return `${argument} using ~<~`;
  if (name === 'hasRole') return 'u.roles @> array[cast(:role as text)]';
  // The first app of a user is in the row itself.
  if (name === 'hasNoApp') return 'secret is null';
  const kept = keepMark(name, argument);
  if (kept !== undefined) return kept;
  throw new Error(`The statements of PostgreSQL have no {${name}}.`);
};

const keys: Readonly<Record<string, string>> = {
  svc_users_email_key: 'svc_users_email',
  svc_users_username: 'svc_users_username_key',
  svc_credentials_pkey: 'svc_credentials_id',
  svc_identities_provider_provider_account_id_key: 'svc_identities_provider_provider_account_id',
};

/** Returns the name under which ../portable knows a unique key. */
export const portableKey = (constraint: string) => keys[constraint] ?? constraint;
