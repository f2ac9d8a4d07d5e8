/**
 * The trusted browser in which a session was started, and the routes that a refresh family belongs
 * to. Never edited again, like every migration.
 */
import type { Migration } from './migration.js';

export const sessionOrigins: Migration = {
  id: 12,
  name: 'session-origins',
  // Both are null in rows of the previous release. No foreign key: the end of a trusted browser
  // would have to find its sessions, and a session that names a removed browser does no harm.
  statements: [
    `alter table svc_sessions add column trusted_browser_id uuid`,
    `alter table svc_refresh_families add column kind text`,
  ],
};
