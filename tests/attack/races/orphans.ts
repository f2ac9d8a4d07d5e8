/** Rows that name a user or an organisation who is not there: none, whatever raced what. */

type Query = (text: string) => Promise<Record<string, unknown>[]>;

const owners = { user_id: 'svc_users', invited_by_user_id: 'svc_users', org_id: 'svc_orgs' } as const;

/** Each as `table.column id`. */
export async function orphans(sql: Query): Promise<string[]> {
  const columns = await sql(`
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' and column_name in ('${Object.keys(owners).join("', '")}')`);
  // Not less than there were when this was written: a renamed column would make the check say nothing.
  expect(columns.length).toBeGreaterThanOrEqual(12);
  const looks = columns.map(({ table_name: table, column_name: column }) => {
    const owner = owners[column as keyof typeof owners];
    return `select '${String(table)}.${String(column)} ' || r.${String(column)} as orphan from ${String(table)} r
      where r.${String(column)} is not null and not exists (select from ${owner} o where o.id = r.${String(column)})`;
  });
  // What waits for a user names them as its subject; other subjects are addresses and numbers.
  for (const table of ['svc_one_time_codes', 'svc_single_use_tokens'])
    looks.push(`select '${table}.' || r.purpose || ' ' || r.subject as orphan from ${table} r
      where r.subject ~ '^[0-9a-f-]{36}$' and not exists (select from svc_users o where cast(o.id as text) = r.subject)`);
  return (await sql(looks.join(' union all '))).map(({ orphan }) => String(orphan));
}
