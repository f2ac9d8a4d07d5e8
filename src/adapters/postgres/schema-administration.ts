/** The schema of PostgreSQL for `svc-auth migrate` and `svc-auth grants`: storage/schema-administration.ts. */
import type {
  PlannedStatement,
  SchemaAdministration,
  SchemaPlan,
} from '../../storage/schema-administration.js';
import { expectedIndexes, migrationState } from '../shared/schema-state.js';
import type { Database } from './database.js';
import { plannedIndexes } from './migrations/indexes.js';
import { locksOf } from './migrations/locks.js';
import {
  appliedIds,
  createRegister,
  migrate,
  migrations,
  tables,
  type MigrationOptions,
} from './migrations/migrate.js';
import { grantsOf, quoteRole } from './schema-grants.js';
import { checkServer } from './server-check.js';
import type { Statements } from './statements.js';

const readIndexes = `
  select cast(c.relname as text) as name from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = to_regnamespace(:schema) and i.indisvalid`;

const readRights = `
  select cast(current_user as text) as role,
    has_schema_privilege(to_regnamespace(:schema), 'usage, create') as may_create,
    array(
      select cast(relname as text) from pg_class
      where relnamespace = to_regnamespace(:schema) and relkind in ('r', 'p')
        and relname = any(cast(:tables as text[])) and not pg_has_role(relowner, 'usage')
      order by relname) as foreign_tables`;

interface Rights {
  role: string;
  may_create: boolean;
  foreign_tables: string[];
}

export function postgresSchema(
  db: Database,
  statements: () => Promise<Statements>,
  options: MigrationOptions = {},
): SchemaAdministration {
  const { triggers = true } = options;
  const indexes = migrations.flatMap((migration) => migration.indexes ?? []);
  return {
    async status() {
      const schema = await db.schema();
      const applied = await appliedIds(db, schema);
      const existing = await db.query(readIndexes, { schema }, (row: { name: string }) => row.name);
      const missingIndexes = expectedIndexes(migrations).filter((name) => !existing.includes(name));
      const names = migrations.filter(({ id }) => applied?.includes(id)).map(({ name }) => name);
      return { applied: names, ...migrationState(migrations, applied), missingIndexes };
    },
    async plan() {
      await checkServer(db);
      const { compile, schema } = await statements();
      const applied = await appliedIds(db, schema);
      const planned: PlannedStatement[] = [];
      const add = (step: string, sql: string, inTransaction: boolean) =>
        planned.push({ step, sql: compile(sql).sql, locks: locksOf(sql), inTransaction });
      for (const [position, { id, name, isOfTriggers, statements: own }] of migrations.entries()) {
        if (applied?.includes(id)) continue;
        if (applied === null && position === 0) add(name, createRegister, true);
        const included = triggers || !isOfTriggers ? own : [];
        for (const sql of included) add(name, sql, true);
        add(name, `insert into svc_migrations (id, name) values (${id}, '${name}')`, true);
      }
      const newest = migrations.at(-1)?.id ?? 0;
      const isAhead = applied?.some((id) => id > newest) ?? false;
      if (!isAhead) for (const { name, sql } of await plannedIndexes(db, indexes)) add(name, sql, false);
      return { statements: planned, ...(await rights(db, schema)) };
    },
    async apply({ warn, report }) {
      await checkServer(db);
      await migrate(db, warn, options, report);
    },
    async grants(roles) {
      const { compile, schema } = await statements();
      return grantsOf(roles, schema, (table) => compile(table).sql);
    },
  };
}

async function rights(db: Database, schema: string): Promise<Pick<SchemaPlan, 'needs' | 'lacks'>> {
  const bindings = { schema, tables: [...tables] };
  const [row] = await db.query(readRights, bindings, (each: Rights) => each);
  const role = quoteRole(row?.role ?? '');
  const create = `grant usage, create on schema ${schema} to ${role}`;
  const own = (table: string) => `alter table ${schema}.${table} owner to ${role}`;
  return {
    needs: [create, `The role ${role} must own the tables that exist.`],
    lacks: [...(row?.may_create ? [] : [create]), ...(row?.foreign_tables ?? []).map(own)],
  };
}
