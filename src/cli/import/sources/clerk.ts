/** Clerk: the CSV file of the dashboard, which has the hashes, or the JSON of its API. */
import { identity, isIdentity } from '../identity-providers.js';
import type { MapContext, Row, Source } from '../source.js';
import { asFlag, asObject, asObjects, asText, valueAt } from '../values.js';

export const clerk: Source = {
  title: 'Clerk',
  file: 'the CSV file that the dashboard exports, or the JSON of the API',
  fields: {
    externalId: 'id',
    email: (row) => mailOf(row).address,
    emailVerified: (row) => mailOf(row).verified,
    username: 'username',
    phone: (row) => phoneOf(row).number,
    phoneVerified: (row) => phoneOf(row).verified,
    metadata: (row) => {
      const [first, last] = [asText(valueAt(row, 'first_name')), asText(valueAt(row, 'last_name'))];
      return {
        ...asObject(valueAt(row, 'unsafe_metadata')),
        ...asObject(valueAt(row, 'public_metadata')),
        ...(first !== null && { firstName: first }),
        ...(last !== null && { lastName: last }),
      };
    },
    roles: (row) => {
      const metadata = asObject(valueAt(row, 'public_metadata'));
      return metadata && (valueAt(metadata, 'roles') ?? valueAt(metadata, 'role'));
    },
    createdAt: 'created_at',
    lastSignInAt: 'last_sign_in_at',
    blocked: (row) => (asFlag(valueAt(row, 'banned')) ? true : null),
    passwordHash: ['password_digest', 'passwordDigest'],
    totp: totpOf,
    identities: (row, context) =>
      asObjects(valueAt(row, 'external_accounts'))
        .filter((each) => !asObject(valueAt(each, 'verification')) || isVerified(each))
        .map((each) =>
          identity(
            valueAt(each, 'provider'),
            valueAt(each, 'provider_user_id') ?? valueAt(each, 'google_id'),
            context,
          ),
        )
        .filter(isIdentity),
  },
  notCarried: [
    'Backup codes and passkeys: Clerk does not export them.',
    'Identities, from the CSV file: it does not have them. A sign-in with Google finds a verified address.',
    'Organizations, private metadata, and addresses other than the primary one.',
  ],
};

function mailOf(row: Row): { address: string | null; verified: boolean | null } {
  const mails = asObjects(valueAt(row, 'email_addresses'));
  const mail = mails.find(({ id }) => id === valueAt(row, 'primary_email_address_id')) ?? mails[0];
  if (mail) return { address: asText(valueAt(mail, 'email_address')), verified: isVerified(mail) };
  const verified = listOf(valueAt(row, 'verified_email_addresses'));
  const address =
    asText(valueAt(row, 'primary_email_address')) ??
    verified[0] ??
    listOf(valueAt(row, 'unverified_email_addresses'))[0] ??
    null;
  return { address, verified: address !== null && verified.includes(address) };
}

/** Returns the primary number. A verified one comes before it, if it is not verified itself. */
function phoneOf(row: Row): { number: string | null; verified: boolean | null } {
  const phones = asObjects(valueAt(row, 'phone_numbers'));
  const isPrimary = ({ id }: Row) => id === valueAt(row, 'primary_phone_number_id');
  const proven = phones.filter(isVerified);
  const phone = proven.find(isPrimary) ?? proven[0] ?? phones.find(isPrimary) ?? phones[0];
  if (phone) return { number: asText(valueAt(phone, 'phone_number')), verified: isVerified(phone) };
  const verified = listOf(valueAt(row, 'verified_phone_numbers'));
  const named = asText(valueAt(row, 'primary_phone_number'));
  if (named !== null && verified.includes(named)) return { number: named, verified: true };
  const [first] = verified;
  if (first !== undefined) return { number: first, verified: true };
  const number = named ?? listOf(valueAt(row, 'unverified_phone_numbers'))[0] ?? null;
  return { number, verified: number === null ? null : false };
}

const isVerified = (each: Row) => asObject(valueAt(each, 'verification'))?.['status'] === 'verified';

const listOf = (value: unknown) => (asText(value) ?? '').split(/[\s,;|]+/).filter((each) => each !== '');

function totpOf(row: Row, context: MapContext) {
  const secret = asText(valueAt(row, 'totp_secret'));
  if (secret === null) {
    if (asFlag(valueAt(row, 'totp_enabled')))
      context.omit('authenticator apps, whose secrets only the CSV file has');
    return null;
  }
  return { secret };
}
