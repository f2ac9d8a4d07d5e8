/** `svc_orgs`: row, mapping, queries. */
import type { OrgRepository } from '../../storage/org-repository.js';
import { isStorable, asJsonb, asLabel, asText, asTimestamp, asUuid } from './bindings.js';
import type { Database } from './database.js';
import { lockOrgForDeletion, shareUser } from './locks.js';
import { roleOf } from './org-memberships.js';
import { orgColumns, toOrg } from './org-rows.js';

interface CreationRow {
  is_guest: boolean;
  is_current: boolean;
  is_verified: boolean;
  is_created: boolean;
}

const create = `
  with owner as (
    select id, is_guest, cast(:epoch as integer) is null or epoch = cast(:epoch as integer) as is_current,
      email is null or email_verified or not cast(:verified as boolean) as is_verified
    from svc_users where id = :userId for share
  ), created as (
    insert into svc_orgs (id, name, slug, metadata, created_at, updated_at)
    select cast(:id as uuid), cast(:name as text), cast(:slug as text), cast(:metadata as jsonb),
      cast(:createdAt as timestamptz), cast(:updatedAt as timestamptz)
    from owner where owner.is_current and owner.is_verified and not owner.is_guest
    on conflict do nothing
    returning id
  ), membership as (
    insert into svc_org_memberships (org_id, user_id, role, created_at)
    select created.id, owner.id, cast(:role as text), cast(:memberSince as timestamptz) from created, owner
  )
  select is_guest, is_current, is_verified, exists (select from created) as is_created from owner`;

const findById = `select ${orgColumns} from svc_orgs o where o.id = :id`;

const findBySlug = `select ${orgColumns} from svc_orgs o where o.slug = :slug`;

const remove = `delete from svc_orgs where id = :id`;

type Orgs = Pick<OrgRepository, 'create' | 'findById' | 'findBySlug' | 'delete'>;

export function orgQueries(db: Database): Orgs {
  return {
    async create(org, owner, { epoch, verified = false } = {}) {
      const bindings = {
        id: asUuid(org.id),
        name: asLabel(org.name),
        slug: asText(org.slug),
        metadata: asJsonb(org.metadata),
        createdAt: asTimestamp(org.createdAt),
        updatedAt: asTimestamp(org.updatedAt),
        userId: asUuid(owner.userId),
        role: owner.role,
        memberSince: asTimestamp(owner.createdAt),
        epoch: epoch ?? null,
        verified,
      };
      // PostgreSQL cannot store such a slug.
      if (!isStorable(org.slug)) return 'slug_taken';
      const [creation] = await db.query(create, bindings, (row: CreationRow) => row);
      if (!creation) return 'no_user';
      if (creation.is_guest) return 'guest';
      if (!creation.is_current) return 'epoch_moved';
      if (!creation.is_verified) return 'unverified';
      return creation.is_created ? 'created' : 'slug_taken';
    },
    async findById(id) {
      const [org] = await db.query(findById, { id: asUuid(id) }, toOrg);
      return org ?? null;
    },
    async findBySlug(slug) {
      const [org] = await db.query(findBySlug, { slug: asText(slug) }, toOrg);
      return org ?? null;
    },
    async delete(orgId, actor) {
      const id = asUuid(orgId);
      if (!actor) return (await db.execute(remove, { id })) === 1;
      return db.transaction(async (transaction) => {
        const acting = await shareUser(transaction, actor.userId);
        await lockOrgForDeletion(transaction, orgId);
        actor.decide(await roleOf(transaction, orgId, actor.userId), acting?.user ?? null);
        return (await transaction.execute(remove, { id })) === 1;
      });
    },
  };
}
