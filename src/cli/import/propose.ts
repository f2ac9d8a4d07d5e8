/** Proposes a map for tables and files of any application, by the names of columns and by what is in them. */
import type { ColumnMap } from './column-map.js';
import { namesItsFormat } from './hash-formats.js';
import { candidates, type Candidate, type Test } from './field-candidates.js';
import { lostPasswords, lostPasswordsRemark, type LostPasswords } from './lost-passwords.js';
import { proposeHashForm } from './propose-hash-form.js';
import { filledValues, type Sample } from './sample.js';
import type { HashForm } from './source.js';
import { isUuid } from '../../domain/uuid.js';
import { asFlag, asId, plainName } from './values.js';

export interface Proposal {
  map: ColumnMap;
  hashForm: HashForm | null;
  /** What the person should check. */
  remarks: string[];
  /** Passwords that the map leaves out. */
  lost: LostPasswords | null;
}

const providers = [
  'google',
  'facebook',
  'github',
  'apple',
  'microsoft',
  'twitter',
  'linkedin',
  'gitlab',
  'discord',
];

/** Returns the map for a table or file. Null if nothing in it identifies a user. */
export function proposeMap(sample: Sample): Proposal | null {
  const found: Record<string, string> = {};
  const remarks: string[] = [];
  for (const candidate of candidates) {
    const column = columnFor(
      candidate,
      sample,
      Object.values(found).flatMap((each) => each.split('|')),
    );
    if (column !== null) found[candidate.field] = column;
  }
  for (const provider of providers) {
    const plain = [`${provider}id`, `${provider}userid`, `${provider}sub`, `${provider}accountid`];
    const column = sample.columns.find((name) => plain.includes(plainName(name)));
    if (column !== undefined) found[`identity.${provider}`] = column;
  }
  const { email, externalId, passwordHash, salt, username } = found;
  if (email === undefined && username === undefined) return null;
  if (externalId !== undefined && hasUuids(sample, externalId)) keepIds(found);
  // Passport calls the address `username`: its own strategy asks for that name.
  if (email !== undefined && email === username) delete found['username'];
  const passwords = (passwordHash?.split('|') ?? [])
    .flatMap((column) => filledValues(sample, column))
    .filter((hash) => !namesItsFormat(hash));
  const hashForm =
    passwordHash === undefined ? null : proposeHashForm(passwords, salt !== undefined, remarks);
  if (salt !== undefined && (hashForm === null || passwordHash === undefined)) delete found['salt'];
  const lost = lostPasswords(found, sample);
  remarks.push(...remarksOn(sample, found, lost));
  return { map: sample.table === null ? found : { table: sample.table, ...found }, hashForm, lost, remarks };
}

/** Whether the ids can stay: they are UUIDs, in any form that databases have. */
function hasUuids(sample: Sample, column: string): boolean {
  const ids = filledValues(sample, column).map(asId);
  return ids.length > 0 && ids.every((id) => typeof id === 'string' && isUuid(id.toLowerCase()));
}

/** In the same place: people copy the map. */
function keepIds(found: Record<string, string>): void {
  const entries = Object.entries(found);
  for (const [name] of entries) delete found[name];
  for (const [name, column] of entries) found[name === 'externalId' ? 'id' : name] = column;
}

/** At least three quarters of the values are what the field needs. A column without values counts by its name. */
function fits(sample: Sample, column: string, test: Test): boolean {
  const values = filledValues(sample, column);
  return values.filter(test).length >= 0.75 * values.length;
}

function columnFor(
  { byValues, field, names, negated, test }: Candidate,
  sample: Sample,
  taken: readonly string[],
): string | null {
  const free = sample.columns.filter((column) => !taken.includes(column));
  // MongoDB calls the id `_id`.
  const named = [...new Set([...names, plainName(field)])]
    .flatMap((name) => free.filter((each) => plainName(each) === name))
    .filter((column) => fits(sample, column, test));
  const used = named.filter((column) => filledValues(sample, column).length > 0);
  // Applications that have changed their hasher have a column for each.
  if (field === 'passwordHash' && used.length > 1) return used.join('|');
  const [best] = used;
  if (best !== undefined) return best;
  if (negated) {
    const column = free.find((each) => negated.includes(plainName(each)) && fits(sample, each, test));
    if (column !== undefined) return `!${column}`;
  }
  if (!byValues) return named[0] ?? null;
  const certain = free.filter(
    (column) => filledValues(sample, column).length > 0 && fits(sample, column, test),
  );
  // A digest may be a token. A hash with the name of its format is a password.
  const [only, ...others] =
    field === 'passwordHash' ? certain.filter((column) => hasNamedFormat(sample, column)) : certain;
  return (others.length === 0 ? only : undefined) ?? named[0] ?? null;
}

const hasNamedFormat = (sample: Sample, column: string) => filledValues(sample, column).every(namesItsFormat);

const isFactorName = /totp|otpsecret|2fa|twofa|mfa|authenticator|googleauth/;

function remarksOn(
  sample: Sample,
  found: Readonly<Record<string, string>>,
  lost: LostPasswords | null,
): string[] {
  const remarks = lost ? [lostPasswordsRemark(lost)] : [];
  if (!lost && found['passwordHash'] === undefined) {
    const column = sample.columns.find((name) => /pass(?:word|wd)?|pwd/.test(plainName(name)));
    remarks.push(
      column === undefined || filledValues(sample, column).length === 0
        ? 'No column has password hashes.'
        : `The column ${column} does not contain hashes of a known format, and is left out.`,
    );
  }
  const factor = sample.columns.find(
    (name) =>
      isFactorName.test(plainName(name)) &&
      filledValues(sample, name).some((value) => asFlag(value) === null),
  );
  if (factor !== undefined)
    remarks.push(
      `The column ${factor} may have the secrets of authenticator apps, and is left out: these users would sign in without their second factor. Pass totp=${factor} if it is Base32, and only that of confirmed apps.`,
    );
  const proof = found['emailVerified'];
  if (proof !== undefined && !/mail/.test(plainName(proof)))
    remarks.push(
      `The column ${proof} counts as a proof of the address. Leave out emailVerified if it says something else, such as who a user is.`,
    );
  if (found['email'] !== undefined && found['emailVerified'] === undefined)
    remarks.push(
      'No column says whether an address is verified. Pass --trust-addresses if your sign-up verifies it.',
    );
  return remarks;
}

/** Returns how likely a table is the one of users. */
export function scoreOf({ map }: Proposal, table: string): number {
  const points: Readonly<Record<string, number>> = {
    passwordHash: 5,
    email: 3,
    username: 2,
    salt: 1,
    emailVerified: 1,
    createdAt: 1,
  };
  const columns = Object.keys(map).reduce((sum, field) => sum + (points[field] ?? 0), 0);
  return (
    columns +
    (/^(?:app|auth)?users?$|^(?:accounts?|members?|customers?|people|person)$/.test(plainName(table)) ? 3 : 0)
  );
}

const userColumns = ['userid', 'user', 'ownerid', 'accountid'];
const providerColumns = ['provider', 'providername', 'strategy', 'issuer', 'providertype'];
const subjectColumns = [
  'subject',
  'provideraccountid',
  'provideruserid',
  'providerid',
  'providerkey',
  'uid',
  'sub',
  'openid',
  'profileid',
];

/** Returns the value of `identities` in a map, if a table has accounts at identity providers. */
export function proposeIdentities(samples: readonly Sample[]): string | null {
  for (const { columns, table } of samples) {
    const column = (names: readonly string[]) =>
      names.flatMap((name) => columns.filter((each) => plainName(each) === name))[0];
    const found = [column(userColumns), column(providerColumns), column(subjectColumns)];
    if (table !== null && found.every((each) => each !== undefined)) return [table, ...found].join(':');
  }
  return null;
}
