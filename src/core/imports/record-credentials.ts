/** What users of another system sign in with besides their passwords, in the form in which it is stored. */
import { decodeBase64url } from '../../crypto/base64url.js';
import type { Keyring } from '../../crypto/keys.js';
import { uuidV7 } from '../../crypto/random.js';
import { recoveryCodeHashes } from '../../crypto/recovery-codes.js';
import { seal } from '../../crypto/secret-box.js';
import { scopeForm } from '../../domain/api-key.js';
import type { StoredCredential } from '../../domain/credential.js';
import { parseAccountId, phoneProvider, type ServiceIdentity } from '../../domain/identity.js';
import type {
  ImportedApiKey,
  ImportedPasskey,
  ImportedTotp,
  ImportedTotpApp,
  ImportedUser,
} from '../../domain/imported-user.js';
import { parseMetadata } from '../../domain/metadata.js';
import { parseName } from '../../domain/name.js';
import { isStorableText } from '../../domain/storable-text.js';
import { typedCode } from '../../domain/typed-text.js';
import type { ForeignApiKey, ImportRecord } from '../../storage/import-repository.js';
import { inField, optionalTime, optionalUuid, refused } from './record-fields.js';

/**
 * Returns the identities of a record with its phone number, without repetitions, and whether it has a number that is not verified, which is
 * left out.
 * @throws InvalidRequestError
 */
export function parseIdentities(
  identities: ImportedUser['identities'],
  { phone, isProven }: { phone: string | null; isProven: boolean },
  userId: string,
  createdAt: Date,
): { identities: ServiceIdentity[]; hasUnproven: boolean } {
  const given = identities ?? [];
  const hasNumber = phone !== null || given.some(({ provider }) => provider === phoneProvider);
  const kept = given.filter(({ provider }) => isProven || provider !== phoneProvider);
  const parsed = kept.map(({ provider, providerAccountId, createdAt: at }) => ({
    provider,
    providerAccountId: inField('identities', 'identity_invalid', () =>
      parseAccountId(provider, accountIdOf(providerAccountId)),
    ),
    createdAt: optionalTime(at, 'identities.createdAt') ?? createdAt,
  }));
  if (phone !== null && isProven) {
    const providerAccountId = inField('phone', 'phone_invalid', () => parseAccountId(phoneProvider, phone));
    parsed.push({ provider: phoneProvider, providerAccountId, createdAt });
  }
  const unique = new Map(
    parsed.map((each) => [JSON.stringify([each.provider, each.providerAccountId]), each]),
  );
  const rowOf = (each: (typeof parsed)[number]) => ({
    id: uuidV7(each.createdAt.getTime()),
    userId,
    ...each,
  });
  return { identities: [...unique.values()].map(rowOf), hasUnproven: hasNumber && !isProven };
}

/** An integer whose digits JavaScript does not keep would be another person's. */
function accountIdOf(id: string | number): string {
  if (typeof id === 'string') return id;
  if (Number.isSafeInteger(id)) return String(id);
  throw refused(
    'identities',
    'identity_invalid',
    'providerAccountId must be a string, or an integer that JavaScript represents exactly.',
  );
}

/** The shortest codes of the systems that are known have eight characters. */
const leastRecoveryCode = 8;

/**
 * Returns the function that encrypts the second factor for its user.
 * @param keptId the id of the account, if the record keeps it: digests of recovery codes belong to an id.
 * @throws InvalidRequestError
 */
export function parseSecondFactor(
  { recoveryCodes, recoveryCodeHashes: digests, otherApps, codesByEmail, ...first }: ImportedTotp,
  keys: Keyring,
  keptId: string | null,
  createdAt: Date,
): NonNullable<ImportRecord['secondFactor']> {
  const apps = [first, ...(otherApps ?? [])].map((app) => parseApp(app, createdAt));
  const codes = [...new Set(recoveryCodes ?? [])];
  for (const code of codes) {
    const { length } = typedCode(code);
    if (length < leastRecoveryCode || code.length > 64)
      throw codeRefused('totp.recoveryCodes must have 8 to 64 characters each, as plain text.');
  }
  const hashes = digests ?? [];
  if (!hashes.every((hash) => decodeBase64url(hash)?.length === 32))
    throw codeRefused('totp.recoveryCodeHashes must be those of an export of svc-auth.');
  return (userId) => ({
    apps: apps.map(({ secret, time, name }) => ({
      id: uuidV7(time.getTime()),
      userId,
      name,
      secret: seal(keys, 'totp', userId, secret),
      lastStep: 0,
      createdAt: time,
      lastUsedAt: null,
    })),
    recoveryCodeHashes: [
      ...codes.map((code) => recoveryCodeHashes(keys, userId, code)[0]),
      ...(userId === keptId ? hashes : []),
    ],
    email: codesByEmail ?? false,
  });
}

const codeRefused = (message: string) => refused('totp', 'recovery_code_invalid', message);

function parseApp({ secret: given, name, createdAt: at }: ImportedTotpApp, createdAt: Date) {
  // As apps show it: in groups, in lower case, with padding.
  const secret = given.replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
  // Ten bytes and more; RFC 4226 demands sixteen, and many systems have made ten.
  if (!/^[A-Z2-7]{16,256}$/.test(secret))
    throw refused('totp', 'totp_invalid', 'totp.secret must be at least 16 characters of Base32.');
  return {
    secret,
    time: optionalTime(at, 'totp.createdAt') ?? createdAt,
    name: name == null ? null : inField('totp', 'totp_invalid', () => parseName(name)),
  };
}

const noModel = '00000000-0000-0000-0000-000000000000';

/** @throws InvalidRequestError */
export function parsePasskey(passkey: ImportedPasskey, userId: string, createdAt: Date): StoredCredential {
  const { id: givenId, publicKey: givenKey, transports, aaguid, name } = passkey;
  const id = bytesOf(givenId, 1_023, 'passkeys.id');
  const publicKey = bytesOf(givenKey, 4_096, 'passkeys.publicKey');
  const model = aaguid?.toLowerCase() ?? noModel;
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(model))
    throw refused('passkeys', 'passkey_invalid', 'passkeys.aaguid must be a UUID.');
  const known = (transports ?? []).filter((each) => /^[a-z-]{1,32}$/.test(each));
  const backupEligible = passkey.backupEligible ?? passkey.backedUp ?? false;
  if (passkey.backedUp === true && !backupEligible)
    throw refused('passkeys', 'passkey_invalid', 'passkeys.backedUp needs backupEligible.');
  return {
    id,
    userId,
    publicKey,
    userHandle: passkey.userHandle == null ? '' : bytesOf(passkey.userHandle, 64, 'passkeys.userHandle'),
    counter: passkey.counter ?? 0,
    transports: [...new Set(known)],
    backupEligible,
    backedUp: passkey.backedUp ?? false,
    aaguid: model,
    name: name == null || name === '' ? null : inField('passkeys', 'passkey_invalid', () => parseName(name)),
    createdAt: optionalTime(passkey.createdAt, 'passkeys.createdAt') ?? createdAt,
    lastUsedAt: optionalTime(passkey.lastUsedAt, 'passkeys.lastUsedAt'),
    lastUsedFrom: null,
  };
}

/** Returns canonical base64url of at most `most` bytes: other systems add padding, or write base64. */
function bytesOf(given: string, most: number, field: string): string {
  const text = given.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  const bytes = decodeBase64url(text);
  if (bytes && bytes.length > 0 && bytes.length <= most) return text;
  throw refused('passkeys', 'passkey_invalid', `${field} must be base64url of at most ${most} bytes.`);
}

/** @throws InvalidRequestError */
export function parseForeignKey(key: ImportedApiKey, userId: string, createdAt: Date): ForeignApiKey {
  const { prefix, scopes, metadata } = key;
  const time = optionalTime(key.createdAt, 'apiKeys.createdAt') ?? createdAt;
  const start = prefix ?? '';
  if (start.length > 20 || !isStorableText(start))
    throw refused('apiKeys', 'api_key_invalid', 'apiKeys.prefix must be at most 20 characters.');
  if (!(scopes ?? []).every((scope) => scopeForm.test(scope)))
    throw refused(
      'apiKeys',
      'api_key_invalid',
      'apiKeys.scopes must be strings of 1 to 64 printable characters without spaces.',
    );
  return {
    ...foundBy(key, time),
    name: inField('apiKeys', 'api_key_invalid', () => parseName(key.name)),
    prefix: start,
    userId,
    orgId: null,
    scopes: [...new Set(scopes ?? [])],
    metadata: inField('apiKeys', 'metadata_invalid', () => parseMetadata(metadata ?? undefined)),
    createdAt: time,
    lastUsedAt: optionalTime(key.lastUsedAt, 'apiKeys.lastUsedAt'),
    expiresAt: optionalTime(key.expiresAt, 'apiKeys.expiresAt'),
    revokedAt: null,
  };
}

/** @throws InvalidRequestError */
function foundBy({ digest, id, secretHash }: ImportedApiKey, createdAt: Date) {
  const ownId = optionalUuid(id, 'apiKeys', 'api_key_invalid');
  const isOwn = ownId !== null && typeof secretHash === 'string' && digest == null;
  if (isOwn && decodeBase64url(secretHash)?.length === 32) return { id: ownId, secretHash, keyDigest: null };
  if (ownId !== null || secretHash != null || digest == null)
    throw refused(
      'apiKeys',
      'api_key_invalid',
      'apiKeys must have a digest, or the id and the secretHash of a key of svc-auth.',
    );
  // No key of ours has this digest: the key is found by `keyDigest` alone.
  return { id: uuidV7(createdAt.getTime()), secretHash: '', keyDigest: digestOf(digest) };
}

function digestOf(given: string): string {
  const bytes = /^[0-9a-f]{64}$/i.test(given)
    ? Buffer.from(given, 'hex')
    : decodeBase64url(given.replace(/=+$/, ''));
  if (bytes?.length === 32) return bytes.toString('base64url');
  throw refused(
    'apiKeys',
    'api_key_invalid',
    'apiKeys.digest must be the SHA-256 of the whole key, in hexadecimal digits or base64url.',
  );
}
