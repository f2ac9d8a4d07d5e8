/** Rows for the scale benchmark, generated inside the server. */
import type { Knex } from 'knex';

export interface Sizes {
  users: number;
  sessions: number;
  orgs: number;
}

/** Returns the id of row `n` of a kind, as `id_of` does in SQL. */
export function idOf(kind: number, n: number): string {
  return `${String(kind).padStart(8, '0')}-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

export const kinds = { user: 1, session: 2, org: 3, identity: 4, family: 5, key: 6, invite: 7 };

/** Inserts the rows. User 1 is the worst case, with 100 organizations and 1000 sessions; organization 1 has 1000 members. */
export async function fill(
  knex: Knex,
  { users, sessions, orgs }: Sizes,
  log: (line: string) => void = () => undefined,
): Promise<void> {
  const id = (kind: number, n: string) => `id_of(${kind}, ${n})`;
  // Every twentieth user is a guest, who has no memberships and invites no one.
  const member = (n: string) => id(user, `(${n}) - (((${n}) % 20 = 0)::int)`);
  const { user, session, org, identity, family, key, invite } = kinds;
  const times = `now() - interval '10 days', now() - interval '1 day'`;
  const statements = [
    `create function id_of(kind int, n bigint) returns uuid language sql immutable as
      $$ select (lpad(kind::text, 8, '0') || '-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid $$`,
    `insert into svc_users (id, email, email_verified, password_hash, metadata, epoch, created_at, updated_at, is_guest)
      select ${id(user, 'n')}, case when n % 20 <> 0 then 'user' || n || '@example.test' end, n % 10 <> 0, 'hash', '{}', 0, ${times}, n % 20 = 0
      from generate_series(1, ${users}) n`,
    `insert into svc_sessions (id, user_id, device, created_at, last_seen_at, expires_at, purge_after, revoked_at)
      select ${id(session, 'n')}, ${id(user, `case when n <= 1000 then 1 else 1 + (n::bigint * 7919) % ${users} end`)}, '{"userAgent":"Mozilla/5.0"}',
        ${times}, e.at, e.at, case when n % 50 = 0 then now() end
      from generate_series(1, ${sessions}) n, lateral (select now() + (n % 14 - 1) * interval '1 day' as at) e`,
    `insert into svc_identities (id, user_id, provider, provider_account_id, created_at)
      select ${id(identity, 'n')}, ${id(user, 'n')}, 'google', n::text, now() from generate_series(1, ${users}, 2) n`,
    `insert into svc_orgs (id, name, slug, metadata, created_at, updated_at)
      select ${id(org, 'n')}, 'Org ' || n, 'org-' || n, '{}', now(), now() from generate_series(1, ${orgs}) n`,
    `insert into svc_org_memberships (org_id, user_id, role, created_at)
      select ${id(org, 'n')}, ${member(`1 + (n::bigint * 31 + m * 7919) % ${users}`)}, case when m = 0 then 'owner' else 'member' end, now()
      from generate_series(1, ${orgs}) n, generate_series(0, 3) m on conflict do nothing`,
    `insert into svc_org_memberships (org_id, user_id, role, created_at)
      select ${id(org, '1')}, ${member('n')}, 'member', now() from generate_series(1, least(1000, ${users})) n on conflict do nothing`,
    `insert into svc_org_memberships (org_id, user_id, role, created_at)
      select ${id(org, 'n')}, ${id(user, '1')}, 'owner', now() from generate_series(1, least(100, ${orgs})) n on conflict (org_id, user_id) do update set role = 'owner'`,
    `insert into svc_org_invites (id, digest, org_id, email, role, invited_by_user_id, created_at, expires_at)
      select ${id(invite, 'n')}, 'digest ' || n, ${id(org, 'n')}, 'user' || n || '@example.test', 'member', ${member('n')}, now(), now() + (n % 8 - 1) * interval '1 day'
      from generate_series(1, ${orgs}) n`,
    `insert into svc_refresh_families (id, user_id, counter, rotated_at, epoch, claims, device, created_at, expires_at)
      select ${id(family, 'n')}, ${id(user, 'n')}, 0, now(), 0, '{}', '{}', now(), now() + (n % 30 - 1) * interval '1 day'
      from generate_series(1, ${users}, 2) n`,
    `insert into svc_api_keys (id, name, prefix, secret_hash, user_id, org_id, scopes, metadata, created_at)
      select ${id(key, 'n')}, 'key', 'svc_', 'hash', case when n % 4 <> 0 then ${id(user, 'n')} end, case when n % 4 = 0 then ${id(org, `1 + n % ${orgs}`)} end, '[]', '{}', now()
      from generate_series(1, ${users}, 5) n`,
    `insert into svc_credentials (id, user_id, public_key, counter, transports, backup_eligible, backed_up, aaguid, created_at)
      select 'passkey ' || n, ${id(user, 'n')}, 'key', 0, '[]', false, false, '', now() from generate_series(1, ${users}, 5) n`,
    `insert into svc_totp (user_id, secret, last_step, confirmed_at)
      select ${id(user, 'n')}, 'secret', 0, now() from generate_series(1, ${users}, 10) n`,
    `insert into svc_recovery_codes (user_id, code_hash)
      select ${id(user, 'n')}, 'code ' || m from generate_series(1, ${users}, 10) n, generate_series(1, 10) m`,
    `insert into svc_one_time_codes (purpose, subject, code_hash, attempts, expires_at, metadata)
      select 'email_code', 'user' || n || '@example.test', 'hash', 0, now() + (n % 3 - 2) * interval '1 day', '{}' from generate_series(1, ${users}, 5) n`,
    `insert into svc_single_use_tokens (digest, purpose, subject, expires_at, metadata)
      select 'digest ' || n, 'magic_link', 'user' || n || '@example.test', now() + (n % 3 - 1) * interval '1 day', '{}' from generate_series(1, ${users}, 5) n`,
    `insert into svc_rate_limits (key, count, reset_at)
      select 'key ' || n, 1, now() + (n % 3 - 1) * interval '1 day' from generate_series(1, ${users}) n`,
  ];
  const indexes = await dropIndexes(knex);
  for (const statement of [...statements, ...indexes]) {
    const start = performance.now();
    await knex.transaction(async (transaction) => {
      // The references are valid, and 5 million foreign key checks would take most of the time.
      await transaction.raw('set local session_replication_role = replica');
      await transaction.raw(statement);
    });
    log(
      `${((performance.now() - start) / 1000).toFixed(1).padStart(8)} s  ${statement.replace(/\s+/g, ' ').slice(0, 60)}`,
    );
  }
  await knex.raw('vacuum analyze');
}

/** Drops the indexes without a constraint, because building them after the load is faster. Returns the statements that create them. */
async function dropIndexes(knex: Knex): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { name: string; definition: string }[] }>(
    `select c.relname as name, pg_get_indexdef(c.oid) as definition from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relname like 'svc\\_%' and not exists (select from pg_constraint where conindid = c.oid)`,
  );
  for (const { name } of rows) await knex.raw('drop index ??', [name]);
  return rows.map(({ definition }) => definition);
}
