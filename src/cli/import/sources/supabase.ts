/** Supabase: the schema `auth` of its database. */
import { identity, isIdentity } from '../identity-providers.js';
import { related, type MapContext, type Row, type Source } from '../source.js';
import { asObject, asText, asTime, valueAt } from '../values.js';

const userColumn = ['user_id'];

export const supabase: Source = {
  title: 'Supabase',
  tables: {
    schema: 'auth',
    users: ['users'],
    relations: {
      identities: { tables: ['identities'], userColumn },
      factors: { tables: ['mfa_factors'], userColumn },
    },
  },
  fields: {
    id: 'id',
    email: 'email',
    emailVerified: (row) => {
      const confirmed = valueAt(row, 'email_confirmed_at');
      // Since 2021, `confirmed_at` is also the time of a confirmed number. Before, it was the only column, and that of the address.
      return confirmed === undefined ? valueAt(row, 'confirmed_at') : confirmed;
    },
    phone: (row) => {
      const phone = asText(valueAt(row, 'phone'));
      return phone === null || phone.startsWith('+') ? phone : `+${phone}`;
    },
    phoneVerified: 'phone_confirmed_at',
    metadata: 'raw_user_meta_data',
    roles: (row) => asObject(valueAt(row, 'raw_app_meta_data'))?.['roles'],
    createdAt: 'created_at',
    lastSignInAt: 'last_sign_in_at',
    blocked: (row) => {
      const banned = valueAt(row, 'banned_until');
      const until = asTime(banned);
      // PostgreSQL's `infinity`.
      const isEndless = banned === Number.POSITIVE_INFINITY;
      return isEndless || asTime(valueAt(row, 'deleted_at')) ? true : until && { until };
    },
    passwordHash: 'encrypted_password',
    identities: (row, context) =>
      related(row, 'identities')
        .map((each) =>
          identity(
            valueAt(each, 'provider'),
            // Older releases had the id of the provider in `id`.
            valueAt(each, 'provider_id') ?? asObject(valueAt(each, 'identity_data'))?.['sub'],
            context,
            valueAt(each, 'created_at'),
          ),
        )
        .filter(isIdentity),
    totp: totpOf,
  },
  notCarried: [
    'Sessions and refresh tokens.',
    'Factors by phone and WebAuthn, and recovery codes: Supabase has none.',
    'Your own tables that name auth.users: their ids stay the same.',
  ],
};

function totpOf(row: Row, context: MapContext) {
  const factors = related(row, 'factors').filter((each) => valueAt(each, 'status') === 'verified');
  const [factor, second] = factors.filter((each) => valueAt(each, 'factor_type') === 'totp');
  if (second) context.omit('second authenticator apps of a user');
  const secret = factor && asText(valueAt(factor, 'secret'));
  if (!factor || secret === null || secret === undefined) return null;
  if (!/^[A-Z2-7]+=*$/.test(secret)) {
    context.omit('authenticator apps that GoTrue has encrypted in the database');
    return null;
  }
  return {
    secret,
    name: asText(valueAt(factor, 'friendly_name')),
    createdAt: asTime(valueAt(factor, 'created_at')),
  };
}
