/** Whether PostgreSQL finds a text inside of addresses and user names by an index: one that the application has created (docs/scale.md). */
import type { UserAdministrationRepository } from '../../storage/user-administration-repository.js';
import type { Database } from './database.js';

const countColumns = `
  select cast(count(distinct a.attname) as integer) as columns
  from pg_index i
    join pg_class t on t.oid = i.indrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = any (i.indkey)
    join pg_opclass o on o.oid = any (i.indclass)
  where t.relname = :table and t.relnamespace = to_regnamespace(:schema) and i.indisvalid
    and i.indpred is null and o.opcname in ('gin_trgm_ops', 'gist_trgm_ops') and a.attname in ('email', 'username_key')`;

export function wordIndexQueries(db: Database): Pick<UserAdministrationRepository, 'hasWordIndex'> {
  return {
    async hasWordIndex() {
      const schema = await db.schema();
      return (
        (await db.find(
          countColumns,
          { schema, table: 'svc_users' },
          (row: { columns: number }) => row.columns,
        )) === 2
      );
    },
  };
}
