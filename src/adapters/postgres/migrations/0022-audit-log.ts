/** The audit log, its seals, and the state of their chain. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const auditLog: Migration = {
  id: 22,
  name: 'audit-log',
  statements: [
    // No foreign keys: a record outlives what it is about. Text instead of jsonb: a record is verified byte by byte.
    `create table svc_audit_log (
      id uuid primary key,
      occurred_at timestamptz(3) not null,
      action text not null,
      outcome text not null,
      error_code text,
      user_id uuid,
      org_id uuid,
      client_id text,
      actor_id text,
      actors text not null,
      request_id text,
      details text not null,
      personal text,
      personal_digest text,
      mac text not null,
      seal bigint
    )`,
    `create index svc_audit_log_seal on svc_audit_log (seal, id)`,
    `create index svc_audit_log_user on svc_audit_log (user_id, id)`,
    `create index svc_audit_log_org on svc_audit_log (org_id, id)`,
    `create index svc_audit_log_actor on svc_audit_log (actor_id, id)`,

    `create table svc_audit_seals (
      seal bigint primary key,
      sealed_at timestamptz(3) not null,
      newest_at timestamptz(3) not null,
      records bigint not null,
      ids text not null,
      mac text not null
    )`,

    `create table svc_audit_chain (
      id integer primary key,
      state text not null
    )`,
  ],
};
