/** Lucia: the tables of version 2, with a key per sign-in method, and those that version 3 recommends. */
import { identity, isIdentity } from '../identity-providers.js';
import { related, type Row, type Source } from '../source.js';
import { asText, evaluate, valueAt } from '../values.js';

const userColumn = ['user_id', 'userId'];

export const lucia: Source = {
  title: 'Lucia',
  tables: {
    users: ['auth_user', 'user', 'users'],
    relations: {
      keys: { tables: ['user_key', 'auth_key', 'key', 'keys'], userColumn },
      passwords: { tables: ['password', 'passwords', 'user_password'], userColumn },
      accounts: { tables: ['oauth_account', 'oauth_accounts', 'accounts', 'account'], userColumn },
    },
  },
  fields: {
    id: 'id',
    email: (row, context) => evaluate(['email', 'email_address'], row, context) ?? keyOf(row, 'email'),
    emailVerified: ['email_verified', 'email_verified_at'],
    username: (row) => asText(valueAt(row, 'username')) ?? keyOf(row, 'username'),
    createdAt: 'created_at',
    passwordHash: (row, context) =>
      evaluate(['password_hash', 'hashed_password', 'password'], row, context) ??
      [...related(row, 'passwords'), ...related(row, 'keys')]
        .map((each) => evaluate(['hashed_password', 'password_hash', 'password'], each, context))
        .find((hash) => hash !== null),
    identities: (row, context) => [
      ...related(row, 'keys')
        .map((key) => partsOf(valueAt(key, 'id')))
        .map(([provider, id]) => identity(provider, id, context))
        .filter(isIdentity),
      ...related(row, 'accounts')
        .map((each) =>
          identity(
            evaluate(['provider_id', 'provider'], each, context),
            evaluate(['provider_user_id', 'provider_account_id'], each, context),
            context,
          ),
        )
        .filter(isIdentity),
    ],
  },
  notCarried: ['Sessions: see acceptSessionsFrom.'],
};

/** The id of a key is the provider and the id that it gave, such as `github:1234` or `email:ada@example.com`. */
function partsOf(id: unknown): [provider: string | null, id: string | null] {
  const text = asText(id) ?? '';
  const colon = text.indexOf(':');
  return colon < 1 ? [null, null] : [text.slice(0, colon), text.slice(colon + 1)];
}

const keyOf = (row: Row, provider: string) =>
  related(row, 'keys')
    .map((key) => partsOf(valueAt(key, 'id')))
    .find(([name]) => name === provider)?.[1] ?? null;
