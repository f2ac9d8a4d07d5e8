/** better-auth: `npx @better-auth/cli generate`, with its plugins twoFactor, passkey, username, admin, phoneNumber, organization and apiKey. */
import {
  asBase64Url,
  asFlag,
  asList,
  asObject,
  asText,
  asTime,
  asTimeOrText,
  parsedJson,
  valueAt,
} from '../values.js';
import { identity, isIdentity } from '../identity-providers.js';
import { lookedUp, related, type MapContext, type Row, type Source } from '../source.js';
import { base32 } from './base32.js';
import { openBetterAuthBox } from './secret-boxes.js';
import { membershipRole } from './membership-role.js';

const userColumn = ['userId', 'user_id'];

export const betterAuth: Source = {
  title: 'better-auth',
  secret: { what: 'the secret of better-auth', variable: 'BETTER_AUTH_SECRET' },
  tables: {
    users: ['user', 'users'],
    relations: {
      accounts: { tables: ['account', 'accounts'], userColumn },
      factors: { tables: ['twoFactor', 'two_factor', 'twoFactors', 'two_factors'], userColumn },
      passkeys: { tables: ['passkey', 'passkeys'], userColumn },
      members: {
        tables: ['member', 'members'],
        userColumn,
        lookups: {
          organization: {
            tables: ['organization', 'organizations'],
            column: ['organizationId', 'organization_id'],
          },
        },
      },
      keys: {
        tables: ['apikey', 'apiKey', 'api_key', 'apikeys', 'api_keys'],
        userColumn: ['referenceId', 'reference_id', 'userId', 'user_id'],
      },
    },
  },
  fields: {
    id: 'id',
    email: (row) => (asFlag(valueAt(row, 'isAnonymous')) ? null : valueAt(row, 'email')),
    emailVerified: 'emailVerified',
    username: usernameOf,
    phone: 'phoneNumber',
    phoneVerified: 'phoneNumberVerified',
    metadata: (row) => named(row),
    roles: (row) => asList(valueAt(row, 'role')).filter((role) => role !== 'user'),
    createdAt: 'createdAt',
    blocked: (row) =>
      asFlag(valueAt(row, 'banned'))
        ? { until: asTime(valueAt(row, 'banExpires')), reason: asText(valueAt(row, 'banReason')) }
        : null,
    passwordHash: (row) =>
      related(row, 'accounts')
        .filter((account) => valueAt(account, 'providerId') === 'credential')
        .map((account) => valueAt(account, 'password'))
        .find((hash) => asText(hash) !== null),
    identities: (row, context) =>
      related(row, 'accounts')
        .map((account) =>
          identity(
            valueAt(account, 'providerId'),
            valueAt(account, 'accountId'),
            context,
            valueAt(account, 'createdAt'),
          ),
        )
        .filter(isIdentity),
    totp: totpOf,
    passkeys: (row) =>
      related(row, 'passkeys').map((passkey) => ({
        id: asBase64Url(valueAt(passkey, 'credentialID')) ?? '',
        publicKey: asBase64Url(valueAt(passkey, 'publicKey')) ?? '',
        counter: Number(valueAt(passkey, 'counter') ?? 0),
        transports: asList(valueAt(passkey, 'transports')),
        backupEligible: valueAt(passkey, 'deviceType') === 'multiDevice',
        backedUp: asFlag(valueAt(passkey, 'backedUp')) ?? false,
        aaguid: asText(valueAt(passkey, 'aaguid')),
        name: asText(valueAt(passkey, 'name')),
        createdAt: asTime(valueAt(passkey, 'createdAt')),
      })),
    memberships: membershipsOf,
    apiKeys: keysOf,
  },
  notCarried: [
    'Sessions: see acceptSessionsFrom.',
    'Teams, invitations and custom roles of organizations.',
    'Tokens of identity providers.',
  ],
};

/** `displayUsername` is how the user writes the name. It is not unique, and anyone may set it to the name of another user. */
function usernameOf(row: Row): string | null {
  const [name, shown] = [asText(valueAt(row, 'username')), asText(valueAt(row, 'displayUsername'))];
  return shown !== null && shown.toLowerCase() === name?.toLowerCase() ? shown : name;
}

const named = (row: Row) => {
  const name = asText(valueAt(row, 'name'));
  return name === null ? null : { name };
};

function totpOf(row: Row, context: MapContext) {
  const [factor] = related(row, 'factors').filter((each) => asFlag(valueAt(each, 'verified')) !== false);
  const sealed = factor && asText(valueAt(factor, 'secret'));
  if (
    !factor ||
    sealed === null ||
    sealed === undefined ||
    asFlag(valueAt(row, 'twoFactorEnabled')) === false
  )
    return null;
  const { secret } = context;
  if (secret === null) {
    context.omit('authenticator apps, which are encrypted: set BETTER_AUTH_SECRET, or pass --secret-env');
    return null;
  }
  const opened = openBetterAuthBox(sealed, secret);
  if (opened === null) {
    context.omit('authenticator apps that the secret does not decrypt');
    return null;
  }
  // Its own codes use the text of the secret as the key.
  const codes = asText(valueAt(factor, 'backupCodes'));
  const list =
    codes === null
      ? null
      : parsedJson(codes.startsWith('[') ? codes : (openBetterAuthBox(codes, secret) ?? ''));
  return { secret: base32(Buffer.from(opened)), recoveryCodes: Array.isArray(list) ? asList(list) : [] };
}

function membershipsOf(row: Row, context: MapContext) {
  return related(row, 'members').flatMap((member) => {
    const organization = lookedUp(member, 'organization');
    const externalId = organization && asText(valueAt(organization, 'id'));
    if (!organization || externalId === null) return [];
    return [
      {
        organization: {
          externalId,
          name: asText(valueAt(organization, 'name')) ?? externalId,
          slug: asText(valueAt(organization, 'slug')),
          metadata: asObject(valueAt(organization, 'metadata')),
          createdAt: asTime(valueAt(organization, 'createdAt')),
        },
        role: membershipRole(valueAt(member, 'role'), context),
        createdAt: asTime(valueAt(member, 'createdAt')),
      },
    ];
  });
}

/** The column `key` is SHA-256 in base64url. */
function keysOf(row: Row, context: MapContext) {
  return related(row, 'keys').flatMap((key) => {
    if (asFlag(valueAt(key, 'enabled')) === false) return [];
    const digest = asText(valueAt(key, 'key'));
    if (digest === null || !/^[\w-]{43}$/.test(digest)) {
      context.omit('API keys that are not stored as SHA-256');
      return [];
    }
    return [
      {
        digest,
        prefix: asText(valueAt(key, 'start'))?.slice(0, 20) ?? null,
        name: asText(valueAt(key, 'name')) ?? 'API key',
        createdAt: asTime(valueAt(key, 'createdAt')),
        lastUsedAt: asTime(valueAt(key, 'lastRequest')),
        expiresAt: asTimeOrText(valueAt(key, 'expiresAt')),
      },
    ];
  });
}
