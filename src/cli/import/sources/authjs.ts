/** Auth.js and NextAuth: the tables of its adapters for PostgreSQL, Prisma, Drizzle, Kysely and TypeORM. */
import { identity, isIdentity } from '../identity-providers.js';
import { related, type Source } from '../source.js';
import { asBase64Url, asFlag, asList, asText, valueAt } from '../values.js';

const userColumn = ['userId', 'user_id'];

export const authjs: Source = {
  title: 'Auth.js',
  tables: {
    users: ['users', 'user', 'User'],
    relations: {
      accounts: { tables: ['accounts', 'account', 'Account'], userColumn },
      authenticators: { tables: ['authenticators', 'authenticator', 'Authenticator'], userColumn },
    },
  },
  fields: {
    id: 'id',
    email: 'email',
    // A time, which the adapters of Prisma and Drizzle write into columns of other names.
    emailVerified: ['emailVerified', 'email_verified', 'email_verified_at'],
    username: 'username',
    metadata: (row) => {
      const [name, image] = [asText(valueAt(row, 'name')), asText(valueAt(row, 'image'))];
      return { ...(name !== null && { name }), ...(image !== null && { image }) };
    },
    roles: ['roles', 'role'],
    createdAt: ['createdAt', 'created_at'],
    // Auth.js has no passwords. Applications with its provider Credentials add a column.
    passwordHash: ['passwordHash', 'password_hash', 'hashedPassword', 'password'],
    identities: (row, context) =>
      related(row, 'accounts')
        .filter((account) => !['credentials', 'email', 'webauthn'].includes(String(valueAt(account, 'type'))))
        .map((account) =>
          identity(valueAt(account, 'provider'), valueAt(account, 'providerAccountId'), context),
        )
        .filter(isIdentity),
    passkeys: (row) =>
      related(row, 'authenticators').map((each) => ({
        id: asBase64Url(valueAt(each, 'credentialID')) ?? '',
        publicKey: asBase64Url(valueAt(each, 'credentialPublicKey')) ?? '',
        counter: Number(valueAt(each, 'counter') ?? 0),
        transports: asList(valueAt(each, 'transports')),
        backupEligible: valueAt(each, 'credentialDeviceType') === 'multiDevice',
        backedUp: asFlag(valueAt(each, 'credentialBackedUp')) ?? false,
      })),
  },
  notCarried: ['Sessions: see acceptSessionsFrom.', 'Verification tokens, and tokens of identity providers.'],
};
