/** What an import adds to an account that exists. The transaction has locked it. */
import type { AdministeredUser } from '../../../domain/user-record.js';
import type { ImportRecord } from '../../../storage/import-repository.js';
import { revocationsOfClaim, type Additions, type OwnedRows } from '../../../storage/import-plan.js';
import { laterThan } from '../../shared/change-time.js';
import { lockdowns } from '../../shared/lockdown-columns.js';
import type { Queryable } from '../database.js';
import { identities, type UserFields } from '../records.js';
import { claimUser, endSessions, removeBegunEnrollment } from '../revocations.js';
import type { Row } from '../tables.js';
import { updateUser } from '../users.js';
import { insertRows } from './insert-rows.js';
import { insertCredentials, insertFactorsOf, insertKeys, type InsertSecondFactors } from './new-users.js';

const ownOrgs = `
  select o.id as id, o.external_id as external_id from svc_org_memberships m join svc_orgs o on o.id = m.org_id
  where m.user_id = :userId`;

const endTrust = `delete from svc_trusted_browsers where user_id = :userId`;
const removeEnrollment = `delete from svc_totp where user_id = :userId`;

// The epoch that is read has the lockdowns of everyone in it.
const setRevocations = `
  update svc_users set epoch = :epoch - ${lockdowns}, sessions_valid_after = :sessionsValidAfter where id = :userId`;

export async function readOwned(on: Queryable, account: AdministeredUser): Promise<OwnedRows> {
  // An organization without an external id has its id in an export.
  const toName = (row: Row) => (row['external_id'] ?? row['id']) as string;
  const orgs = await on.query(ownOrgs, { userId: account.id }, toName);
  return { hasSecondFactor: account.totpEnabled, orgs: new Set(orgs) };
}

export async function addToAccount(
  transaction: Queryable,
  account: AdministeredUser,
  record: ImportRecord,
  additions: Additions,
  now: Date,
  insertSecondFactors: InsertSecondFactors,
): Promise<void> {
  const { id: userId } = account;
  const { claims, externalId, username, metadata, passwordHash } = additions;
  const current = claims ? await claimUser(transaction, account, null, now) : account;
  const changes: Partial<UserFields> = {
    ...(externalId !== undefined && { externalId }),
    ...(username && { username: username.name, usernameKey: username.key }),
    ...(metadata && { metadata }),
    ...(passwordHash !== undefined && { passwordHash }),
    updatedAt: laterThan(account.updatedAt, now),
  };
  await updateUser(transaction, userId, changes);
  if (additions.secondFactor) {
    await removeBegunEnrollment(transaction, userId);
    // Without an app: what is left of an enrollment that ended.
    await transaction.execute(removeEnrollment, { userId });
    await endSessions(transaction, current, now, { totpEnabled: true });
    await insertFactorsOf(transaction, [{ record, userId }], insertSecondFactors);
  }
  const revocations = revocationsOfClaim(account, additions, now);
  if (revocations) await transaction.execute(setRevocations, { ...revocations, userId });
  const ofUser = <Row>(rows: readonly Row[]) => rows.map((row) => ({ ...row, userId }));
  await insertRows(transaction, identities, ofUser(additions.identities));
  await insertCredentials(transaction, ofUser(additions.credentials));
  await insertKeys(transaction, ofUser(additions.apiKeys));
  if (additions.credentials.length > 0 || additions.secondFactor)
    await transaction.execute(endTrust, { userId });
}
