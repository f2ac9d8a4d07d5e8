/** The user in whose name an API key or an agent has acted, so that the record can be anonymized. Never edited again, like every migration. */
import type { Migration } from './migration.js';

export const auditActingUser: Migration = {
  id: 24,
  name: 'audit-acting-user',
  statements: [
    `alter table svc_audit_log add column acting_user_id uuid`,
    `create index svc_audit_log_acting_user on svc_audit_log (acting_user_id, id)`,
  ],
};
