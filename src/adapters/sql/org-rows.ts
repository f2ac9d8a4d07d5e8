/** Rows of `svc_orgs`, for every statement that reads them. */
import type { Org } from '../../domain/org.js';
import { epochMs, readTime } from './bindings.js';

export interface OrgRow {
  org_id: string;
  org_name: string;
  org_slug: string;
  org_metadata: string;
  org_created_at: string;
  org_updated_at: string;
}

/** The columns of `svc_orgs as o`. Prefixed, so that a join with another table needs no aliases. */
export const orgColumns = `
  o.id as org_id, o.name as org_name, o.slug as org_slug, cast(o.metadata as text) as org_metadata,
  ${epochMs('o.created_at')} as org_created_at, ${epochMs('o.updated_at')} as org_updated_at`;

export function toOrg(row: OrgRow): Org {
  return {
    id: row.org_id,
    name: row.org_name,
    slug: row.org_slug,
    metadata: JSON.parse(row.org_metadata) as Record<string, unknown>,
    createdAt: readTime(row.org_created_at),
    updatedAt: readTime(row.org_updated_at),
  };
}
