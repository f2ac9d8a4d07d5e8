/** Records of another system for the tests of imports. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ImportedUser, PasswordHasher } from 'svc-auth';
import { cheapHasher } from './make-service.js';

/** The hash of `cheapHasher()`. */
export function cheapHash(password: string): string {
  return `cheap$${createHash('sha256').update(password).digest('hex')}`;
}

/** `cheapHasher()`, which recognizes its hashes: an import refuses those of a format that no hasher knows. */
export function importingHasher(): PasswordHasher {
  return { ...cheapHasher(), recognizes: (hash) => /^cheap\$[0-9a-f]{64}$/.test(hash) };
}

/** The configuration of a service that stores everything of a record. */
export function importingConfig() {
  return {
    encryptionKey: 'a key of the tests for second factors, 32 bytes',
    usernames: { enabled: true },
    providers: {
      totp: true as const,
      apiKeys: { foreign: true },
      emailPassword: { hasher: importingHasher() },
    },
  };
}

export const importedPassword = 'correct horse battery';

/** Returns a user with a verified address and a password. */
export function oldUser(overrides: Partial<ImportedUser> = {}): ImportedUser {
  return {
    externalId: `old-${randomUUID()}`,
    email: `${randomUUID()}@example.com`,
    emailVerified: true,
    passwordHash: cheapHash(importedPassword),
    createdAt: '2019-03-04T05:06:07Z',
    ...overrides,
  };
}

/** Returns a user with one of everything. */
export function equippedOldUser(overrides: Partial<ImportedUser> = {}): ImportedUser {
  const key = `sk_${randomBytes(16).toString('hex')}`;
  return oldUser({
    username: `user-${randomUUID().slice(0, 8)}`,
    phone: `+4915${String(Math.floor(Math.random() * 1e9)).padStart(9, '0')}`,
    phoneVerified: true,
    metadata: { plan: 'gold' },
    roles: ['editor'],
    identities: [{ provider: 'google', providerAccountId: randomUUID() }],
    totp: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', recoveryCodes: ['a1b2-c3d4', '12345678'] },
    passkeys: [
      { id: randomBytes(32).toString('base64url'), publicKey: randomBytes(77).toString('base64url') },
    ],
    apiKeys: [
      { name: 'CI', digest: createHash('sha256').update(key).digest('hex'), prefix: key.slice(0, 8) },
    ],
    memberships: [{ organization: { externalId: randomUUID(), name: 'Acme' }, role: 'owner' }],
    ...overrides,
  });
}

/** The same users in every process: each with an identity, every third one with a second factor, all in ten organizations. */
export function* sequentialUsers(count: number): Generator<ImportedUser> {
  for (let n = 0; n < count; n += 1)
    yield {
      externalId: n + 1,
      email: `imported-${n}@example.com`,
      emailVerified: true,
      passwordHash: cheapHash('the same password'),
      identities: [{ provider: 'google', providerAccountId: `sub-${n}` }],
      ...(n % 3 === 0 && {
        totp: {
          secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
          recoveryCodes: [`code-${n}-one`, `code-${n}-two`],
        },
      }),
      memberships: [
        {
          organization: { externalId: `org-${n % 10}`, name: `Organization ${n % 10}` },
          role: n < 10 ? 'owner' : 'member',
        },
      ],
    };
}
