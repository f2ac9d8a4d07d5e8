/** `svc_recovery_codes`: how many are left, and the use of one. */
import type { TotpRepository } from '../../storage/second-factor-repositories.js';
import { asUuid, isStorable } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { lockUser } from './locks.js';

const removeCode = `delete from svc_recovery_codes where user_id = :id and code_hash in (:hashes*)`;
const countCodes = `select count(*) as codes from svc_recovery_codes where user_id = :userId`;

async function recoveryCodesOf(on: Queryable, userId: string): Promise<number> {
  return (await on.find(countCodes, { userId: asUuid(userId) }, (row) => Number(row['codes']))) ?? 0;
}

export function recoveryCodeQueries(
  db: Database,
): Pick<TotpRepository, 'consumeRecoveryCode' | 'countRecoveryCodes'> {
  return {
    // Under the lock of the user, so that codes that are consumed in parallel leave different numbers.
    consumeRecoveryCode: (userId, hashes) =>
      db.transaction(async (transaction) => {
        if (!(await lockUser(transaction, userId))) return null;
        const bindings = { id: userId, hashes: hashes.filter(isStorable) };
        if ((await transaction.execute(removeCode, bindings)) === 0) return null;
        return { left: await recoveryCodesOf(transaction, userId) };
      }),
    countRecoveryCodes: (userId) => recoveryCodesOf(db, userId),
  };
}
