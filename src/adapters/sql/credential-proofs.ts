/** The passkey of an account whose unverified address has been proven: the proof and the passkey in one transaction. */
import type { StoredCredential } from '../../domain/credential.js';
import { mergeMetadata } from '../../domain/metadata.js';
import type { CredentialProof, CredentialProofOutcome } from '../../storage/second-factor-repositories.js';
import { asJsonb, asText, asTimestamp } from './bindings.js';
import { credentialBindings, insertColumns, insertValues } from './credential-rows.js';
import { constraintOfUniqueViolation } from './database-error.js';
import type { Queryable } from './database.js';
import { hasEpoch, lockUser } from './locks.js';
import { claimUser, replacePassword } from './revocations.js';
import { takenBy } from './user-administration.js';
import { toUser, userColumns, usernameBindings } from './users.js';

const isRegistered = `select 1 from svc_credentials where id = :id`;

const insert = `
  with ended_trust as (delete from svc_trusted_browsers where user_id = :userId)
  insert into svc_credentials (${insertColumns}) select ${insertValues} from svc_users as owner where owner.id = :userId`;

const setProfile = `
  update svc_users as u
  set email_verified = true, metadata = :metadata, username = coalesce(cast(:username as text), u.username),
    username_key = coalesce(cast(:usernameKey as text), u.username_key), updated_at = :now
  where u.id = :id
  returning ${userColumns}`;

export async function insertWithProof(
  transaction: Queryable,
  credential: StoredCredential,
  { email, epoch, keepsAccount, username, metadata, now }: CredentialProof,
): Promise<CredentialProofOutcome> {
  const locked = await lockUser(transaction, credential.userId);
  if (!locked || !hasEpoch(locked, epoch)) return { status: 'no_user' };
  const { user } = locked;
  if (user.email !== email || user.emailVerified) return { status: 'no_user' };
  // Before the claim, which removes the passkeys of the account.
  const registered = await transaction.query(isRegistered, { id: asText(credential.id) }, () => true);
  if (registered.length > 0) return { status: 'taken' };
  const merged = asJsonb(mergeMetadata(user.metadata, metadata));
  if (!keepsAccount) await replacePassword(transaction, claimUser, user, null, now);
  const profile = { id: user.id, metadata: merged, now: asTimestamp(now), ...usernameBindings(username) };
  const [changed] = await transaction.query(setProfile, profile, toUser);
  await transaction.execute(insert, credentialBindings(credential));
  // The row exists: this transaction has locked it.
  return { status: 'inserted', user: changed ?? user };
}

/** Returns what a new passkey or its user would share with another one. @throws any other error. */
export function conflictOf(error: unknown): 'taken' | 'email_taken' | 'username_taken' {
  return constraintOfUniqueViolation(error) === 'svc_credentials_pkey' ? 'taken' : takenBy(error);
}
