/** Writes a stored user as the record that an import reads, so that leaving and moving between databases use one form. */
import type { Keyring } from '../../crypto/keys.js';
import { unseal } from '../../crypto/secret-box.js';
import { phoneProvider } from '../../domain/identity.js';
import type {
  ImportedApiKey,
  ImportedMembership,
  ImportedPasskey,
  ImportedTotp,
  ImportedTotpApp,
  ImportedUser,
} from '../../domain/imported-user.js';
import { isInForce } from '../../domain/user-block.js';
import { ConfigError } from '../../errors/catalog.js';
import type {
  ExportedAccount,
  ExportedApiKey,
  ExportedMembership,
  ExportedSecondFactor,
} from '../../storage/export-repository.js';

/** @throws ConfigError if the secret of an authenticator app cannot be decrypted: without it, the second factor would be lost. */
export function exportedUser(account: ExportedAccount, keys: Keyring | null, now: number): ImportedUser {
  const { user, identities, credentials, apiKeys, memberships, secondFactor } = account;
  const phone = identities.find(({ provider }) => provider === phoneProvider);
  const { id, email, emailVerified, passwordHash, blocked } = user;
  const keysInUse = apiKeys.filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || now < expiresAt.getTime()),
  );
  return {
    id,
    externalId: user.externalId,
    email,
    emailVerified,
    username: user.username,
    phone: phone?.providerAccountId ?? null,
    phoneVerified: phone !== undefined,
    metadata: user.metadata,
    roles: user.roles,
    language: user.language,
    createdAt: user.createdAt,
    lastSignInAt: user.lastSignInAt,
    blocked: isInForce(blocked, now) ? blocked : null,
    passwordHash: passwordHash === null ? null : { format: 'svc-auth', hash: passwordHash },
    identities: identities
      .filter((identity) => identity !== phone)
      .map(({ provider, providerAccountId, createdAt }) => ({ provider, providerAccountId, createdAt })),
    totp: secondFactor && totpOf(secondFactor, keys),
    passkeys: credentials.map(({ userId, lastUsedFrom: _, ...passkey }): ImportedPasskey => {
      // With the handle, a system that gives users other ids still finds the owner of a passkey.
      const userHandle = passkey.userHandle ?? Buffer.from(userId).toString('base64url');
      return { ...passkey, userHandle };
    }),
    apiKeys: keysInUse.map(keyOf),
    memberships: memberships.map(membershipOf),
  };
}

function totpOf(
  { apps, recoveryCodeHashes, email }: ExportedSecondFactor,
  keys: Keyring | null,
): ImportedTotp {
  const [first, ...others] = apps.map(({ userId, name, secret, createdAt }): ImportedTotpApp => {
    const opened = keys && unseal(keys, 'totp', userId, secret);
    if (!opened)
      throw new ConfigError([
        {
          path: 'encryptionKey',
          message: `does not decrypt the authenticator app of the user ${userId}: set the key that it was encrypted with, or add it to previousEncryptionKeys.`,
        },
      ]);
    return { secret: opened.text, name, createdAt };
  });
  return {
    ...(first as ImportedTotpApp),
    otherApps: others,
    recoveryCodeHashes,
    codesByEmail: email,
  };
}

function keyOf({ id, keyDigest, secretHash, ...key }: ExportedApiKey): ImportedApiKey {
  const { prefix, name, scopes, metadata, createdAt, lastUsedAt, expiresAt } = key;
  const foundBy = keyDigest === null ? { id, secretHash } : { digest: keyDigest };
  return { ...foundBy, prefix, name, scopes, metadata, createdAt, lastUsedAt, expiresAt };
}

function membershipOf({ org, role, createdAt }: ExportedMembership): ImportedMembership {
  const { id, externalId, name, slug, metadata } = org;
  const organization = { externalId: externalId ?? id, id, name, slug, metadata, createdAt: org.createdAt };
  return { organization, role, createdAt };
}
