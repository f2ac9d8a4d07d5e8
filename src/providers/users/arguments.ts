/** The arguments of `service.users` in the forms in which the storage and the events use them. */
import { parseEmailAddress } from '../../domain/email-address.js';
import { parseExternalId } from '../../domain/external-id.js';
import { parseAccountId, phoneProvider } from '../../domain/identity.js';
import { parseMetadata } from '../../domain/metadata.js';
import type { NewUserInput } from '../../domain/user-inputs.js';
import { parseUserRoles } from '../../domain/user-roles.js';
import { usernameKey } from '../../domain/username.js';
import { uuidV7 } from '../../crypto/random.js';
import type { NewAdministeredUser, UserLookup } from '../../storage/user-administration-repository.js';
import { parseInput } from '../../core/support/input.js';
import type { Usernames } from '../../core/sign-ups/usernames.js';
import { userIdInput } from '../../core/support/input-types.js';
import { newUserInput, type UserLookupInput } from './inputs.js';
import { addressMissing } from './user-changes.js';

/** @throws InvalidRequestError for a malformed address, phone number, external id or identity. */
export function toLookup(lookup: UserLookupInput): UserLookup {
  if ('email' in lookup) return { email: parseEmailAddress(lookup.email) };
  if ('username' in lookup) return { usernameKey: usernameKey(lookup.username) };
  if ('externalId' in lookup) return { externalId: parseExternalId(lookup.externalId) };
  const { provider, providerAccountId } =
    'phone' in lookup ? { provider: phoneProvider, providerAccountId: lookup.phone } : lookup;
  return { provider, providerAccountId: parseAccountId(provider, providerAccountId) };
}

/** Returns a new user without the password, which is hashed later. @throws InvalidRequestError */
export function parseNewUser(
  input: NewUserInput,
  now: number,
  usernames: Usernames,
): { user: NewAdministeredUser; password: string | null | undefined } {
  const { email, emailVerified, username, externalId, password, metadata, roles } = parseInput(
    newUserInput,
    input,
  );
  const user = {
    id: uuidV7(now),
    email: email == null ? null : parseEmailAddress(email),
    emailVerified: emailVerified ?? false,
    username: username == null ? null : usernames.parse(username),
    externalId: externalId == null ? null : parseExternalId(externalId),
    passwordHash: null,
    metadata: parseMetadata(metadata ?? undefined),
    roles: parseUserRoles(roles ?? []),
    createdAt: new Date(now),
  };
  if (user.emailVerified && user.email === null) throw addressMissing('emailVerified');
  if (password != null && user.email === null && user.username === null) throw addressMissing('password');
  return { user, password };
}

/** @throws UserNotFoundError if the id is not a string. */
export function idOf(id: unknown): string {
  return parseInput(userIdInput, id);
}
