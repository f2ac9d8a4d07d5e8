/** `svc_orgs`: row, mapping, queries. */
import type { Org } from '../../domain/org.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import { isStorable, json, label, text, time, uuid } from './bindings.js';
import type { Database } from './database.js';
import { lockOrgForDeletion } from './locks.js';
import { roleOf } from './org-memberships.js';

interface OrgRow {
  id: string;
  name: string;
  slug: string;
  metadata: string;
  created_at: Date;
  updated_at: Date;
}

const columns = `id, name, slug, cast(metadata as text) as metadata, created_at, updated_at`;

function toOrg(row: OrgRow): Org {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

interface CreationRow {
  is_guest: boolean;
  is_created: boolean;
}

const create = `
  with owner as (
    select id, is_guest from svc_users where id = :userId for share
  ), created as (
    insert into svc_orgs (id, name, slug, metadata, created_at, updated_at)
    select cast(:id as uuid), cast(:name as text), cast(:slug as text), cast(:metadata as jsonb),
      cast(:createdAt as timestamptz), cast(:updatedAt as timestamptz)
    from owner where not owner.is_guest
    on conflict do nothing
    returning id
  ), membership as (
    insert into svc_org_memberships (org_id, user_id, role, created_at)
    select created.id, owner.id, cast(:role as text), cast(:memberSince as timestamptz) from created, owner
  )
  select is_guest, exists (select from created) as is_created from owner`;

const findById = `select ${columns} from svc_orgs where id = :id`;

const findBySlug = `select ${columns} from svc_orgs where slug = :slug`;

const remove = `delete from svc_orgs where id = :id`;

type Orgs = Pick<OrgRepository, 'create' | 'findById' | 'findBySlug' | 'delete'>;

export function orgQueries(db: Database): Orgs {
  return {
    async create(org, owner) {
      const bindings = {
        id: uuid(org.id),
        name: label(org.name),
        slug: text(org.slug),
        metadata: json(org.metadata),
        createdAt: time(org.createdAt),
        updatedAt: time(org.updatedAt),
        userId: uuid(owner.userId),
        role: owner.role,
        memberSince: time(owner.createdAt),
      };
      // A slug that no column can hold: nobody can have it.
      if (!isStorable(org.slug)) return 'slug_taken';
      const [creation] = await db.query(create, bindings, (row: CreationRow) => row);
      if (!creation) return 'no_user';
      if (creation.is_guest) return 'guest';
      return creation.is_created ? 'created' : 'slug_taken';
    },
    async findById(id) {
      const [org] = await db.query(findById, { id: uuid(id) }, toOrg);
      return org ?? null;
    },
    async findBySlug(slug) {
      const [org] = await db.query(findBySlug, { slug: text(slug) }, toOrg);
      return org ?? null;
    },
    async delete(orgId, actor) {
      const id = uuid(orgId);
      if (!actor) return (await db.execute(remove, { id })) === 1;
      return db.transaction(async (transaction) => {
        await lockOrgForDeletion(transaction, orgId);
        actor.decide(await roleOf(transaction, orgId, actor.userId));
        return (await transaction.execute(remove, { id })) === 1;
      });
    },
  };
}
