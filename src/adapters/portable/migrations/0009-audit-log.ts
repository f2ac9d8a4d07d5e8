/** The audit log, its seals, and the state of their chain. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const auditLog: Migration = {
  id: 9,
  name: 'audit-log',
  statements: [
    // No foreign keys: a record outlives what it is about.
    `create table svc_audit_log (
      id {id} not null primary key,
      occurred_at {time} not null,
      action {text 64} not null,
      outcome {text 16} not null,
      error_code {text 128},
      user_id {id},
      org_id {id},
      client_id {text 255},
      actor_id {text 255},
      actors {long} not null,
      request_id {text 128},
      details {long} not null,
      personal {long},
      personal_digest {ascii 64},
      mac {ascii 64} not null,
      seal {bigint}
    ) {options}`,
    `create index svc_audit_log_seal on svc_audit_log (seal, id)`,
    `create index svc_audit_log_user on svc_audit_log (user_id, id)`,
    `create index svc_audit_log_org on svc_audit_log (org_id, id)`,
    `create index svc_audit_log_actor on svc_audit_log (actor_id, id)`,

    `create table svc_audit_seals (
      seal {bigint} not null primary key,
      sealed_at {time} not null,
      newest_at {time} not null,
      records {bigint} not null,
      ids {long} not null,
      mac {ascii 64} not null
    ) {options}`,

    `create table svc_audit_chain (
      id integer not null primary key,
      state {long} not null
    ) {options}`,
  ],
};
