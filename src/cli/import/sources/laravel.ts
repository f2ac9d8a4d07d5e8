/** Laravel: its table of users, with the columns of Fortify, accounts of Socialite, and roles of spatie/laravel-permission. */
import { identity, isIdentity } from '../identity-providers.js';
import { lookedUp, related, type MapContext, type Row, type Source } from '../source.js';
import { asList, asText, evaluate, parsedJson, valueAt } from '../values.js';
import { openLaravelBox } from './secret-boxes.js';

export const laravel: Source = {
  title: 'Laravel',
  secret: { what: 'the key of Laravel', variable: 'APP_KEY' },
  tables: {
    users: ['users'],
    relations: {
      accounts: {
        tables: [
          'social_accounts',
          'social_logins',
          'connected_accounts',
          'user_social_accounts',
          'socialite_users',
        ],
        userColumn: ['user_id'],
      },
      roles: {
        tables: ['model_has_roles'],
        userColumn: ['model_id', 'model_uuid'],
        lookups: { role: { tables: ['roles'], column: ['role_id'] } },
      },
    },
  },
  fields: {
    externalId: 'id',
    email: 'email',
    emailVerified: 'email_verified_at',
    username: 'username',
    phone: 'phone',
    phoneVerified: 'phone_verified_at',
    metadata: (row) => {
      const name = asText(valueAt(row, 'name'));
      return name === null ? null : { name };
    },
    roles: (row) =>
      related(row, 'roles')
        // The table has the roles of other models, too.
        .filter((each) => /(?:^|\\)users?$/i.test(asText(valueAt(each, 'model_type')) ?? 'user'))
        .map((each) => asText(lookedUp(each, 'role')?.['name']) ?? ''),
    createdAt: 'created_at',
    passwordHash: 'password',
    identities: (row, context) => [
      ...related(row, 'accounts')
        .map((each) =>
          identity(
            evaluate(['provider', 'provider_name', 'driver'], each, context),
            evaluate(['provider_id', 'provider_user_id', 'social_id'], each, context),
            context,
          ),
        )
        .filter(isIdentity),
      ...['google', 'facebook', 'github', 'apple']
        .filter((provider) => asText(valueAt(row, `${provider}_id`)) !== null)
        .map((provider) => identity(provider, valueAt(row, `${provider}_id`), context))
        .filter(isIdentity),
    ],
    totp: totpOf,
  },
  notCarried: [
    'Sessions, "remember me" tokens and personal access tokens of Sanctum.',
    'Passkeys, which each package stores in its own form.',
  ],
};

/** Fortify encrypts the secret and the recovery codes with APP_KEY. */
function totpOf(row: Row, context: MapContext) {
  const sealed = asText(valueAt(row, 'two_factor_secret'));
  // Not confirmed yet. Without the column, Fortify does not ask for a confirmation.
  if (sealed === null || valueAt(row, 'two_factor_confirmed_at') === null) return null;
  const { secret: key } = context;
  if (key === null) {
    context.omit('authenticator apps, which are encrypted: set APP_KEY, or pass --secret-env');
    return null;
  }
  const secret = openLaravelBox(sealed, key);
  if (secret === null) {
    context.omit('authenticator apps that APP_KEY does not decrypt');
    return null;
  }
  const codes = asText(valueAt(row, 'two_factor_recovery_codes'));
  const list = codes === null ? null : parsedJson(openLaravelBox(codes, key) ?? '');
  return { secret, recoveryCodes: Array.isArray(list) ? asList(list) : [] };
}
