/** Finds rows that refer to a user or an organization that does not exist; no race may leave any. */

type Query = (text: string) => Promise<Record<string, unknown>[]>;

const owners = { user_id: 'svc_users', invited_by_user_id: 'svc_users', org_id: 'svc_orgs' } as const;

/** Returns each orphan as `table.column id`. @param storage the name of the database. */
export async function orphans(sql: Query, storage: string): Promise<string[]> {
  // On the other databases, foreign keys are checked at every statement, so only codes and tokens can have orphans.
  if (storage !== 'PostgreSQL') return orphanedSecrets(sql);
  const columns = await sql(`
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' and column_name in ('${Object.keys(owners).join("', '")}')`);
  // At least as many columns as when this was written: a renamed column would make the check useless.
  expect(columns.length).toBeGreaterThanOrEqual(12);
  const queries = columns.map(({ table_name: table, column_name: column }) => {
    const owner = owners[column as keyof typeof owners];
    return `select '${String(table)}.${String(column)} ' || r.${String(column)} as orphan from ${String(table)} r
      where r.${String(column)} is not null and not exists (select from ${owner} o where o.id = r.${String(column)})`;
  });
  // Codes and tokens of a user have the user's id as subject; other subjects are addresses and numbers.
  for (const table of ['svc_one_time_codes', 'svc_single_use_tokens'])
    queries.push(`select '${table}.' || r.purpose || ' ' || r.subject as orphan from ${table} r
      where r.subject ~ '^[0-9a-f-]{36}$' and not exists (select from svc_users o where cast(o.id as text) = r.subject)`);
  return (await sql(queries.join(' union all '))).map(({ orphan }) => String(orphan));
}

async function orphanedSecrets(sql: Query): Promise<string[]> {
  const users = new Set((await sql('select id from svc_users')).map(({ id }) => id));
  const codes = await sql('select purpose, subject from svc_one_time_codes');
  const tokens = await sql('select purpose, subject from svc_single_use_tokens');
  return [...codes, ...tokens].flatMap(({ purpose, subject }) =>
    /^[0-9a-f-]{36}$/.test(String(subject)) && !users.has(subject)
      ? [`${String(purpose)} ${String(subject)}`]
      : [],
  );
}
