/**
 * What a browser should know about the passkeys of a user, so that it offers neither a removed passkey nor an old name (WebAuthn Level 3,
 * 5.1.10). A browser can delete for good what a list lacks, so the list is complete or absent.
 */
import type { PasskeySignals } from '../../domain/credential.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { CredentialRepository } from '../../storage/second-factor-repositories.js';
import { userHandle } from './policy.js';

export interface RelyingParty {
  rpId: string;
  origins: readonly string[];
  relatedOrigins: readonly string[];
}

/** Without this limit, a user could make every view of a page expensive. */
const maxCredentials = 1000;

/** @throws UserNotFoundError */
export async function signalsOf(
  storage: StorageAdapter,
  credentials: CredentialRepository,
  { rpId }: RelyingParty,
  userId: string,
): Promise<PasskeySignals> {
  // Read again: the session of the request may be a cached one, with an address that has just changed.
  const { email, id } = await existingUser(storage.users, userId);
  const found = await credentials.listForUser(id, { limit: maxCredentials + 1 });
  return {
    rpId,
    userId: handleOf(id),
    credentialIds: found.length > maxCredentials ? null : found.map((credential) => credential.id),
    name: email ?? (await storage.userAdministration?.find({ id }))?.username ?? null,
    displayName: '',
  };
}

export function handleOf(userId: string): string {
  return Buffer.from(userHandle(userId)).toString('base64url');
}
