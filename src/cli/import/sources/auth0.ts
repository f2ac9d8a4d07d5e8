/** Auth0: the file of a bulk export, and the file of password hashes that its support sends. */
import { identity, isIdentity } from '../identity-providers.js';
import type { MapContext, Row, Source } from '../source.js';
import { asObject, asObjects, asText, cleaned, valueAt } from '../values.js';

export const auth0: Source = {
  title: 'Auth0',
  file: 'the lines of a bulk user export; --hashes names the file of password hashes',
  fields: {
    externalId: 'user_id',
    email: 'email',
    emailVerified: 'email_verified',
    username: 'username',
    phone: 'phone_number',
    phoneVerified: 'phone_verified',
    metadata: (row) => cleaned({ ...asObject(valueAt(row, 'user_metadata')), ...nameOf(row) }),
    roles: (row) => {
      const app = asObject(valueAt(row, 'app_metadata'));
      return app && (valueAt(app, 'roles') ?? asObject(valueAt(app, 'authorization'))?.['roles']);
    },
    createdAt: 'created_at',
    lastSignInAt: 'last_login',
    blocked: 'blocked',
    passwordHash: hashOf,
    identities: (row, context) => {
      const listed = asObjects(valueAt(row, 'identities'));
      const all = listed.length > 0 ? listed : [mainIdentity(row)];
      return all
        .filter((each) => valueAt(each, 'isSocial') !== false)
        .map((each) => identity(valueAt(each, 'provider'), valueAt(each, 'user_id'), context))
        .filter(isIdentity);
    },
  },
  notCarried: [
    'Second factors and passkeys: Auth0 does not export them.',
    'Password hashes, unless its support has sent their file.',
    '`app_metadata`, except roles: it may be secret from the user, whose metadata is not.',
    'Organizations: the export does not contain them.',
  ],
};

/** `google-oauth2|1234`, of an export without the field `identities`. */
function mainIdentity(row: Row): Row {
  const [provider = null, ...id] = asText(valueAt(row, 'user_id'))?.split('|') ?? [];
  return { provider, user_id: id.join('|') };
}

function nameOf(row: Row) {
  const name = asText(valueAt(row, 'name'));
  // Without a name, Auth0 has the address in its place.
  return name === null || name === asText(valueAt(row, 'email')) ? {} : { name };
}

/** The hash of the record, or that of the second file, whose `_id` is the end of `auth0|…`. */
function hashOf(row: Row, { companion }: MapContext): unknown {
  const own = valueAt(row, 'passwordHash') ?? valueAt(row, 'password_hash');
  if (own !== undefined && own !== null) return own;
  const [, id] = /^auth0\|(.+)$/.exec(asText(valueAt(row, 'user_id')) ?? '') ?? [];
  const found = id === undefined ? null : companion?.find(id);
  return found && (valueAt(found, 'passwordHash') ?? valueAt(found, 'password_hash'));
}
