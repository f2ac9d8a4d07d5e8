/** Checks a record of an import and turns it into the rows that are stored. */
import type { Keyring } from '../../crypto/keys.js';
import { randomDigits, uuidV7 } from '../../crypto/random.js';
import { parseEmailAddress } from '../../domain/email-address.js';
import type { ImportedMembership, ImportedUser, ImportOptions } from '../../domain/imported-user.js';
import { findLanguage } from '../../domain/language.js';
import { parseMetadata } from '../../domain/metadata.js';
import { parseName } from '../../domain/name.js';
import { parseSlug, slugOf } from '../../domain/org-slug.js';
import { revocationsOfImport } from '../../domain/user.js';
import { parseUserRoles } from '../../domain/user-roles.js';
import { keyOf } from '../../storage/import-plan.js';
import type { ImportedMember, ImportRecord } from '../../storage/import-repository.js';
import type { Usernames } from '../sign-ups/usernames.js';
import type { PasswordHasher } from '../passwords/password-hasher.js';
import { storedHash } from './import-hashes.js';
import { parseForeignKey, parseIdentities, parsePasskey, parseSecondFactor } from './record-credentials.js';
import {
  inField,
  optionalTime,
  optionalUuid,
  parseAnyUsername,
  parseBlock,
  parseId,
  parseIds,
  parseLanguage,
  refused,
} from './record-fields.js';
import { parseShape } from './record-schema.js';

export interface RecordTools {
  /** Undefined without `providers.emailPassword`. */
  hasher: PasswordHasher | undefined;
  usernames: Usernames;
  /** Keys for the secrets of authenticator apps. Null unless `providers.totp` and `encryptionKey` are configured. */
  factorKeys: Keyring | null;
  /** Languages of mails and pages. */
  languages: readonly string[];
}

export type RecordOptions = Pick<
  ImportOptions,
  'anyUsername' | 'emailVerified' | 'externalIdPrefix' | 'phoneVerified'
>;

/** @throws InvalidRequestError with the field and a reason. */
export function parseRecord(
  input: unknown,
  { hasher, usernames, factorKeys, languages }: RecordTools,
  { anyUsername, emailVerified: trust, externalIdPrefix, phoneVerified: phoneTrust }: RecordOptions,
  now: Date,
): ImportRecord {
  const record = parseShape(input);
  const ids = parseIds(record, externalIdPrefix);
  const createdAt = optionalTime(record.createdAt, 'createdAt') ?? now;
  const id = ids.id ?? uuidV7(createdAt.getTime());
  const email = textOf(record.email);
  const address = email === null ? null : inField('email', 'email_invalid', () => parseEmailAddress(email));
  const name = textOf(record.username);
  const phone = textOf(record.phone);
  // Anyone can write the number of another person into a profile, whose owner would then sign in to this account.
  const isPhoneProven = record.phoneVerified === true || phoneTrust === 'trust-all';
  const numbers = { phone, isProven: isPhoneProven };
  const { identities, hasUnproven } = parseIdentities(record.identities, numbers, id, createdAt);
  const credentials = (record.passkeys ?? []).map((passkey) => parsePasskey(passkey, id, createdAt));
  const apiKeys = (record.apiKeys ?? []).map((key) => parseForeignKey(key, id, createdAt));
  const parseUsername = (input: string) => (anyUsername ? parseAnyUsername(input) : usernames.parse(input));
  const username = name === null ? null : inField('username', 'username_invalid', () => parseUsername(name));
  if (
    address === null &&
    username === null &&
    [identities, credentials, apiKeys].every((rows) => rows.length === 0)
  )
    throw !hasUnproven
      ? refused('email', 'sign_in_missing', 'A record must have an address, or another way to sign in.')
      : refused('phone', 'sign_in_missing', 'The record has only a phone number, which is not verified.');
  if (record.totp != null && !factorKeys)
    throw refused(
      'totp',
      'provider_not_configured',
      'totp needs providers.totp and encryptionKey: without them the second factor would be lost.',
    );
  const secondFactor =
    record.totp != null && factorKeys ? parseSecondFactor(record.totp, factorKeys, ids.id, createdAt) : null;
  const hash = record.passwordHash;
  const isProven = address !== null && record.emailVerified === true;
  return {
    user: {
      id,
      externalId: ids.externalId,
      email: address,
      emailVerified: isProven || (address !== null && trust === 'trust-all'),
      username,
      passwordHash:
        hash == null || hash === ''
          ? null
          : inField('passwordHash', 'hash_unknown', () => storedHash(hash, hasher)),
      metadata: inField('metadata', 'metadata_invalid', () => parseMetadata(record.metadata ?? undefined)),
      roles: inField('roles', 'roles_invalid', () => parseUserRoles(record.roles ?? [])),
      language: languageOf(record, languages),
      ...(ids.id === null ? { epoch: 0, sessionsValidAfter: null } : revocationsOfImport('kept_id', now)),
      totpEnabled: secondFactor !== null,
      blocked: parseBlock(record.blocked, now),
      createdAt,
      updatedAt: createdAt,
      lastSignInAt: optionalTime(record.lastSignInAt, 'lastSignInAt'),
    },
    keepsId: ids.id !== null,
    isProven,
    identities,
    secondFactor,
    credentials: uniqueBy(credentials, (each) => each.id),
    apiKeys: uniqueBy(apiKeys, keyOf),
    memberships: parseMemberships(record.memberships ?? [], externalIdPrefix, now),
    leftOut: hasUnproven ? [{ reason: 'phone_unproven', field: 'phone' }] : [],
  };
}

/** An empty string of an export is an absent value. */
const textOf = (text: string | null | undefined) => (text == null || text.trim() === '' ? null : text);

function uniqueBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

function languageOf(record: ImportedUser, languages: readonly string[]): string | null {
  const tag = parseLanguage(record.language);
  // A language that is not offered is none: mails and pages follow the request.
  return tag === null ? null : findLanguage([tag], languages);
}

function parseMemberships(
  memberships: readonly ImportedMembership[],
  prefix: string | undefined,
  now: Date,
): ImportedMember[] {
  const members = memberships.map(({ organization, role, createdAt: at }): ImportedMember => {
    const { name: givenName, slug, metadata } = organization;
    const createdAt = optionalTime(organization.createdAt, 'memberships.organization.createdAt') ?? now;
    const name = inField('memberships', 'organization_invalid', () => parseName(givenName));
    const ownId = optionalUuid(organization.id, 'memberships', 'organization_invalid');
    const hasSlug = slug != null && slug !== '';
    const wanted = inField('memberships', 'organization_invalid', () =>
      hasSlug ? parseSlug(slug) : slugOf(name),
    );
    return {
      org: {
        id: ownId ?? uuidV7(createdAt.getTime()),
        keepsId: ownId !== null,
        externalId: parseId(organization.externalId, 'memberships.organization.externalId', prefix),
        name,
        slugs: [wanted, `${wanted.slice(0, 50).replace(/-+$/, '')}-${randomDigits(10)}`],
        hasSlug,
        metadata: inField('memberships', 'metadata_invalid', () => parseMetadata(metadata ?? undefined)),
        createdAt,
      },
      role,
      createdAt: optionalTime(at, 'memberships.createdAt') ?? now,
    };
  });
  if (uniqueBy(members, ({ org }) => org.externalId).length < members.length)
    throw refused('memberships', 'organization_invalid', 'memberships must name each organization once.');
  return members;
}
