/** The rules of a change by an administrator. They are pure; the storage applies them under a lock on the user. */
import { parseEmailAddress } from '../../domain/email-address.js';
import { parseExternalId } from '../../domain/external-id.js';
import { mergeMetadata, parseJsonObject, parseMetadata } from '../../domain/metadata.js';
import type { UserUpdateInput } from '../../domain/user-inputs.js';
import type { AdministeredUser } from '../../domain/user-record.js';
import { parseUserRoles } from '../../domain/user-roles.js';
import {
  EmailExistsError,
  ExternalIdExistsError,
  InvalidRequestError,
  UserNotFoundError,
} from '../../errors/catalog.js';
import type { ServiceError } from '../../errors/service-error.js';
import { parseInput } from '../../core/support/input.js';
import { usernameTaken, type Usernames } from '../../core/sign-ups/usernames.js';
import type { TakenName, UserChanges } from '../../storage/user-administration-repository.js';
import { userUpdateInput } from './inputs.js';

export interface ParsedUpdate {
  /** Names of the changed fields. */
  fields: string[];
  externalId: string | null | undefined;
  /** Returns the new values of a user. @throws InvalidRequestError */
  decide: (user: AdministeredUser) => UserChanges;
}

/**
 * Checks an update before the user is read.
 * @param ifUpdatedAt the `updatedAt` that the user must still have.
 * @throws InvalidRequestError
 */
export function parseUpdate(
  input: UserUpdateInput,
  ifUpdatedAt: Date | null | undefined,
  usernames: Usernames,
): ParsedUpdate {
  const { mergeMetadata: merging, ...values } = parseInput(userUpdateInput, input);
  const { email, emailVerified, username, externalId, metadata, roles } = values;
  if (metadata != null && merging != null)
    throw new InvalidRequestError('metadata and mergeMetadata exclude each other.', { field: 'metadata' });
  const changes: UserChanges = {
    ...(metadata != null && { metadata: parseMetadata(metadata) }),
    ...(roles != null && { roles: parseUserRoles(roles) }),
    ...(email != null && { email: parseEmailAddress(email) }),
    ...(emailVerified != null && { emailVerified }),
    ...(username !== undefined && { username: username === null ? null : usernames.parse(username) }),
    ...(externalId !== undefined && { externalId: externalId === null ? null : parseExternalId(externalId) }),
  };
  const merged = merging == null ? undefined : parseJsonObject(merging, 'mergeMetadata');
  const fields = [...Object.keys(changes), ...(merged ? ['metadata'] : [])];
  const decide = (user: AdministeredUser): UserChanges => {
    // Written so that an invalid date refuses the change.
    if (ifUpdatedAt != null && !(ifUpdatedAt.getTime() === user.updatedAt.getTime())) throw outdated();
    return {
      ...changes,
      ...(merged && { metadata: mergeMetadata(user.metadata, merged) }),
      ...addressChanges(user, changes),
    };
  };
  return { fields, externalId: changes.externalId, decide };
}

/** A new address counts as unverified, unless the change says otherwise. */
function addressChanges(user: AdministeredUser, { email, emailVerified }: UserChanges): UserChanges {
  const isNewAddress = email !== undefined && email !== user.email;
  if (isNewAddress && user.isGuest) {
    const message = 'A guest has no address: let the guest sign up, which keeps the user id.';
    throw new InvalidRequestError(message, { field: 'email', reason: 'guest' });
  }
  if (emailVerified === true && user.email === null && email === undefined)
    throw addressMissing('emailVerified');
  return isNewAddress ? { email, emailVerified: emailVerified ?? false } : {};
}

/** Returns the error for a value that requires an address. */
export function addressMissing(field: string): InvalidRequestError {
  return new InvalidRequestError(`${field} requires an email address.`, { field, reason: 'email_missing' });
}

/** Returns the error for a user whom the storage has not stored. */
export function refusalOf(status: 'no_user' | TakenName): ServiceError {
  if (status === 'no_user') return new UserNotFoundError();
  if (status === 'email_taken') return new EmailExistsError();
  if (status === 'external_id_taken') return new ExternalIdExistsError();
  return usernameTaken();
}

function outdated(): InvalidRequestError {
  const message = 'The user has changed since it was read: read it again, then repeat the change.';
  return new InvalidRequestError(message, { field: 'ifUpdatedAt', reason: 'outdated' });
}
