/** `svc_single_use_tokens`: row, mapping, queries. */
import { userOfToken, type SingleUseToken, type TokenPurpose } from '../../domain/single-use-token.js';
import type { SingleUseTokenRepository } from '../../storage/repositories.js';
import { asText } from '../shared/bindings.js';
import type { Database } from './database.js';
import { lockUser } from './locks.js';
import { tokens } from './records.js';
import { columnsOf, readerOf, valuesOf, type Row } from './tables.js';

const readToken = readerOf(tokens, 't');

function toToken(row: Row): SingleUseToken {
  const { accountEpoch, accountHasPassword, ...token } = readToken(row);
  const account = accountEpoch !== null && { epoch: accountEpoch, hasPassword: accountHasPassword === true };
  return { ...token, ...(account && { account }) };
}

function valuesOfToken({ account, ...token }: SingleUseToken) {
  const accountEpoch = account?.epoch ?? null;
  const fields = { ...token, accountEpoch, accountHasPassword: account?.hasPassword ?? null };
  return { ...valuesOf(tokens, fields), digest: asText(token.digest), subject: asText(token.subject) };
}

const find = `
  select ${columnsOf(tokens, 't')} from svc_single_use_tokens t
  where t.digest = :digest and t.purpose = :purpose and t.expires_at > :now`;

const remove = `delete from svc_single_use_tokens where digest = :digest`;

export function singleUseTokenQueries(db: Database): SingleUseTokenRepository {
  const findToken = (purpose: TokenPurpose, digest: string, now: Date) =>
    db.find(find, { purpose, digest: asText(digest), now }, toToken);
  return {
    insert: (token) =>
      db.transaction(async (transaction) => {
        const userId = userOfToken(token);
        if (userId !== null && !(await lockUser(transaction, userId))) return;
        await transaction.execute(tokens.insertion, valuesOfToken(token));
      }),
    async claim(token) {
      try {
        await db.execute(tokens.insertion, valuesOfToken(token));
        return true;
      } catch (error) {
        if (db.violatedKey(error) === null) throw error;
        return false;
      }
    },
    find: findToken,
    async consume(purpose, digest, now) {
      const token = await findToken(purpose, digest, now);
      // Only the call that removes the row gets the token.
      return token && (await db.execute(remove, { digest: token.digest })) === 1 ? token : null;
    },
    async discard(digest) {
      await db.execute(remove, { digest: asText(digest) });
    },
  };
}
