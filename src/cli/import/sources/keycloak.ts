/** Keycloak: the export of a realm with its users, `kc.sh export --users realm_file` or `--users different_files`. */
import type { ForeignHash } from '../../../domain/imported-user.js';
import { identity, isIdentity } from '../identity-providers.js';
import type { MapContext, Row, Source } from '../source.js';
import { asBase64Url, asFlag, asList, asObject, asObjects, asText, asTime, valueAt } from '../values.js';
import { base32 } from './base32.js';

const usual = /^(?:default-roles-.*|offline_access|uma_authorization)$/;

export const keycloak: Source = {
  title: 'Keycloak',
  file: 'the JSON of "kc.sh export --users realm_file", or one file of "--users different_files"',
  fields: {
    id: 'id',
    email: 'email',
    emailVerified: 'emailVerified',
    username: (row) => {
      const name = asText(valueAt(row, 'username'));
      // With "email as user name", both are the address.
      return name === asText(valueAt(row, 'email')) || name?.includes('@') ? null : name;
    },
    // Reported as not verified: in many realms, users write their attributes themselves, also `phoneNumberVerified`.
    phone: 'attributes.phoneNumber',
    metadata: (row) => {
      const [firstName, lastName] = [asText(valueAt(row, 'firstName')), asText(valueAt(row, 'lastName'))];
      return {
        ...asObject(valueAt(row, 'attributes')),
        ...(firstName !== null && { firstName }),
        ...(lastName !== null && { lastName }),
      };
    },
    roles: (row) => asList(valueAt(row, 'realmRoles')).filter((role) => !usual.test(role)),
    createdAt: 'createdTimestamp',
    blocked: (row) => (asFlag(valueAt(row, 'enabled')) === false ? true : null),
    passwordHash: passwordOf,
    totp: totpOf,
    passkeys: passkeysOf,
    identities: (row, context) =>
      asObjects(valueAt(row, 'federatedIdentities'))
        .map((each) => identity(valueAt(each, 'identityProvider'), valueAt(each, 'userId'), context))
        .filter(isIdentity),
  },
  notCarried: [
    'Phone numbers, unless your realm lets no user write the attribute that says whether one is verified: name it with --map phoneVerified=attributes.phoneNumberVerified.',
    'Groups, roles of clients, required actions and consents.',
    'Authenticator apps with eight digits, SHA-256 or another period, counters, and recovery codes, which Keycloak hashes.',
  ],
};

function userHandleOf(row: Row): string | null {
  const id = asText(valueAt(row, 'id'));
  return id === null ? null : Buffer.from(id).toString('base64url');
}

function credentials(row: Row, ...types: string[]) {
  return asObjects(valueAt(row, 'credentials'))
    .filter((credential) => types.includes(String(valueAt(credential, 'type'))))
    .map((credential) => ({
      credential,
      secret: asObject(valueAt(credential, 'secretData')) ?? {},
      data: asObject(valueAt(credential, 'credentialData')) ?? {},
    }));
}

function passkeysOf(row: Row, context: MapContext) {
  reportOthers(row, context);
  return credentials(row, 'webauthn-passwordless', 'webauthn').map(({ credential, data }) => {
    if (valueAt(credential, 'type') === 'webauthn')
      context.omit(
        'the rule that a password is followed by a security key: these keys are carried as passkeys, which sign in without a password',
      );
    return {
      id: asBase64Url(valueAt(data, 'credentialId')) ?? '',
      publicKey: asBase64Url(valueAt(data, 'credentialPublicKey')) ?? '',
      // Keycloak registers them with the text of the id.
      userHandle: userHandleOf(row),
      counter: Number(valueAt(data, 'counter') ?? 0),
      transports: asList(valueAt(data, 'transports')).map((each) => each.toLowerCase()),
      aaguid: asText(valueAt(data, 'aaguid')),
      name: asText(valueAt(credential, 'userLabel')),
      createdAt: asTime(valueAt(credential, 'createdDate')),
    };
  });
}

const carried = new Set(['password', 'password-history', 'otp', 'webauthn', 'webauthn-passwordless']);

/** Counts the credentials that are not carried. */
function reportOthers(row: Row, context: MapContext): void {
  for (const credential of asObjects(valueAt(row, 'credentials'))) {
    const type = asText(valueAt(credential, 'type')) ?? 'without a type';
    if (!carried.has(type)) context.omit(`credentials of Keycloak: ${type.slice(0, 40)}`);
  }
}

function passwordOf(row: Row, context: MapContext): string | ForeignHash | null {
  const [password] = credentials(row, 'password');
  if (!password) return null;
  const { data, secret } = password;
  const [hash, salt] = [asText(valueAt(secret, 'value')), asText(valueAt(secret, 'salt'))];
  const [algorithm, iterations] = [
    asText(valueAt(data, 'algorithm')),
    Number(valueAt(data, 'hashIterations')),
  ];
  if (hash === null || salt === null) {
    context.omit('passwords without a hash or a salt, as versions before 8 have exported them');
    return null;
  }
  const [, bits] = /^pbkdf2(?:-sha(256|512))?$/.exec(algorithm ?? '') ?? [];
  if (algorithm?.startsWith('pbkdf2') && (bits !== undefined || algorithm === 'pbkdf2'))
    return {
      ...{ format: 'pbkdf2', digest: bits === '256' ? 'sha256' : bits === '512' ? 'sha512' : 'sha1' },
      ...{ iterations, salt, hash, encoding: 'base64' },
    };
  const parameters = asObject(valueAt(data, 'additionalParameters')) ?? {};
  const first = (name: string) => asList(valueAt(parameters, name))[0] ?? '';
  if (algorithm === 'argon2') {
    const bare = (text: string) => text.replace(/=+$/, '');
    const cost = `m=${first('memory')},t=${iterations},p=${first('parallelism')}`;
    return `$argon2${first('type')}$v=19$${cost}$${bare(salt)}$${bare(hash)}`;
  }
  context.omit('passwords in a format of an extension of Keycloak');
  return null;
}

const mostApps = 3;

function totpOf(row: Row, context: MapContext) {
  const apps = credentials(row, 'otp').flatMap((otp) => appOf(otp, context) ?? []);
  const [first, ...others] = apps.slice(0, mostApps);
  for (let more = mostApps; more < apps.length; more++)
    context.omit(`authenticator apps of users with more than ${mostApps}`);
  return first ? { ...first, ...(others.length > 0 && { otherApps: others }) } : null;
}

function appOf({ credential, data, secret }: ReturnType<typeof credentials>[number], context: MapContext) {
  const value = asText(valueAt(secret, 'value'));
  if (value === null) {
    context.omit('authenticator apps without a secret');
    return null;
  }
  const isUsual =
    valueAt(data, 'subType') === 'totp' &&
    Number(valueAt(data, 'digits') ?? 6) === 6 &&
    Number(valueAt(data, 'period') ?? 30) === 30 &&
    /^HmacSHA1$/i.test(asText(valueAt(data, 'algorithm')) ?? 'HmacSHA1');
  if (!isUsual) {
    context.omit('authenticator apps that are not SHA-1 with six digits in thirty seconds');
    return null;
  }
  return {
    // Otherwise the string is the key.
    secret: valueAt(data, 'secretEncoding') === 'BASE32' ? value : base32(Buffer.from(value)),
    name: asText(valueAt(credential, 'userLabel')),
    createdAt: asTime(valueAt(credential, 'createdDate')),
  };
}
