/**
 * The link that was mailed together with a code. Never edited again, like every migration.
 */
import type { Migration } from './migration.js';

export const linksWithCodes: Migration = {
  id: 11,
  name: 'links-with-codes',
  // Null for the codes of every purpose that the previous release knows.
  statements: [`alter table svc_one_time_codes add column link_digest text`],
};
