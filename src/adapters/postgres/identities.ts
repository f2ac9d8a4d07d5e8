/** `svc_identities` on the hot path: the lookup of every sign-in by another provider. */
import type { IdentityRepository } from '../../storage/repositories.js';
import { asText } from '../shared/bindings.js';
import { byIndex } from './by-index.js';
import type { Database } from './database.js';
import { toUser, userColumns } from './users.js';

const findUser = `
  select ${userColumns} from svc_identities i join svc_users u on u.id = i.user_id
  where i.provider = :provider and i.provider_account_id = :providerAccountId
    and ${byIndex('i.provider_account_id')} and ${byIndex('u.id')}`;

export function identityQueries(db: Database): Pick<IdentityRepository, 'findUser'> {
  return {
    async findUser(provider, providerAccountId) {
      const names = { provider: asText(provider), providerAccountId: asText(providerAccountId) };
      const [user] = await db.queryPrepared('svc_identity_user', findUser, names, toUser);
      return user ?? null;
    },
  };
}
