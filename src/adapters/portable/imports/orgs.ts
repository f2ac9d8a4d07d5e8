/** The organizations of an import, found by their external ids, and its members. */
import type { ImportedMember, ImportedOrg } from '../../../storage/import-repository.js';
import { asLabel } from '../../shared/bindings.js';
import type { Queryable } from '../database.js';
import { lockOrgs } from '../locks.js';
import { importedOrgs, memberships } from '../records.js';
import type { Row } from '../tables.js';
import { inLists, insertRows } from './insert-rows.js';

export interface NewMember {
  membership: ImportedMember;
  userId: string;
}

const idsByExternalId = `
  select o.id as id, o.external_id as external_id from svc_orgs o where o.external_id in (:values*)`;
const idsById = `select o.id as id from svc_orgs o where o.id in (:values*)`;
const takenSlugs = `select o.slug as slug from svc_orgs o where o.slug in (:values*)`;

/**
 * Inserts the members, and the organizations that do not exist. The users are locked, or inserted by this transaction.
 * @returns the external ids of new organizations whose first slug was taken.
 */
export async function storeMembers(
  transaction: Queryable,
  members: readonly NewMember[],
): Promise<Set<string>> {
  if (members.length === 0) return new Set();
  const wanted = new Map(members.map(({ membership: { org } }) => [org.externalId, org]));
  const ids = await readIds(transaction, [...wanted.values()]);
  await lockOrgs(transaction, [...ids.values()].sort());
  const missing = [...wanted.values()].filter(({ externalId }) => !ids.has(externalId));
  const slugs = await chooseSlugs(transaction, missing);
  await insertRows(
    transaction,
    importedOrgs,
    missing.map(({ id, externalId, name, metadata, createdAt }) => ({
      ...{ id, externalId, name: asLabel(name), slug: slugs.get(externalId) ?? '' },
      ...{ metadata, createdAt, updatedAt: createdAt },
    })),
  );
  for (const { id, externalId } of missing) ids.set(externalId, id);
  await insertRows(
    transaction,
    memberships,
    members.map(({ membership: { org, role, createdAt }, userId }) => {
      return { orgId: ids.get(org.externalId) ?? '', userId, role, createdAt };
    }),
  );
  const renamed = missing.filter((org) => slugs.get(org.externalId) !== org.slugs[0]);
  return new Set(renamed.map(({ externalId }) => externalId));
}

/** Returns the external ids of the organizations that `storeMembers` would create with another slug than their first, and writes nothing. */
export async function previewRenamed(on: Queryable, members: readonly NewMember[]): Promise<Set<string>> {
  const wanted = new Map(members.map(({ membership: { org } }) => [org.externalId, org]));
  const ids = await readIds(on, [...wanted.values()]);
  const missing = [...wanted.values()].filter(({ externalId }) => !ids.has(externalId));
  const taken = await readTakenSlugs(on, missing);
  return new Set(missing.flatMap(({ externalId, slugs }) => (taken.has(slugs[0] ?? '') ? [externalId] : [])));
}

async function readIds(on: Queryable, orgs: readonly ImportedOrg[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const externalIds = orgs.map(({ externalId }) => externalId);
  const toEntry = (row: Row) => [row['external_id'], row['id']] as [string, string];
  await inLists(externalIds, async (values) => {
    for (const [externalId, id] of await on.query(idsByExternalId, { values }, toEntry))
      ids.set(externalId, id);
  });
  const kept = orgs.filter(({ keepsId, externalId }) => keepsId && !ids.has(externalId));
  await inLists(
    kept.map(({ id }) => id),
    async (values) => {
      const found = new Set(await on.query(idsById, { values }, (row) => row['id'] as string));
      for (const { id, externalId } of kept) if (found.has(id)) ids.set(externalId, id);
    },
  );
  return ids;
}

async function readTakenSlugs(on: Queryable, missing: readonly ImportedOrg[]): Promise<Set<string>> {
  const taken = new Set<string>();
  await inLists(
    missing.flatMap(({ slugs }) => slugs),
    async (values) => {
      for (const slug of await on.query(takenSlugs, { values }, (row) => row['slug'] as string))
        taken.add(slug);
    },
  );
  return taken;
}

async function chooseSlugs(on: Queryable, missing: readonly ImportedOrg[]): Promise<Map<string, string>> {
  const taken = await readTakenSlugs(on, missing);
  const chosen = new Map<string, string>();
  for (const { externalId, slugs } of missing) {
    const slug = slugs.find((each) => !taken.has(each)) ?? slugs.at(-1) ?? '';
    taken.add(slug);
    chosen.set(externalId, slug);
  }
  return chosen;
}
