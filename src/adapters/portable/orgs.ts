/** `svc_orgs`: row, mapping, queries. */
import { hasUnverifiedAddress } from '../../domain/user.js';
import type { OrgRepository } from '../../storage/org-repository.js';
import { asLabel, asText, asUuid, isStorable } from '../shared/bindings.js';
import { laterThan } from '../shared/change-time.js';
import type { Database } from './database.js';
import { lockOrg, lockOrgForDeletion, shareUser } from './locks.js';
import { roleOf } from './org-memberships.js';
import { orgColumns, toOrg } from './org-rows.js';
import { memberships, orgs } from './records.js';
import { assignmentsOf, valuesOf } from './tables.js';

const findById = `select ${orgColumns} from svc_orgs o where o.id = :id`;

const findBySlug = `select ${orgColumns} from svc_orgs o where o.slug = :slug`;

const remove = `delete from svc_orgs where id = :id`;

type Orgs = Pick<OrgRepository, 'create' | 'findById' | 'findBySlug' | 'update' | 'delete'>;

export function orgQueries(db: Database): Orgs {
  return {
    async create(org, owner, { epoch, verified = false } = {}) {
      // No database can store such a slug.
      if (!isStorable(org.slug)) return 'slug_taken';
      try {
        return await db.transaction(async (transaction) => {
          const locked = await shareUser(transaction, owner.userId);
          if (!locked) return 'no_user';
          if (locked.isGuest) return 'guest';
          if (epoch !== undefined && locked.user.epoch !== epoch) return 'epoch_moved';
          if (verified && hasUnverifiedAddress(locked.user)) return 'unverified';
          const id = asUuid(org.id);
          const values = valuesOf(orgs, { ...org, name: asLabel(org.name) });
          await transaction.execute(orgs.insertion, { ...values, id });
          await transaction.execute(memberships.insertion, { ...valuesOf(memberships, owner), org_id: id });
          return 'created';
        });
      } catch (error) {
        if (db.violatedKey(error) !== null) return 'slug_taken';
        throw error;
      }
    },
    findById: (id) => db.find(findById, { id: asUuid(id) }, toOrg),
    findBySlug: (slug) => db.find(findBySlug, { slug: asText(slug) }, toOrg),
    update: (orgId, now, decide, actor) =>
      db.transaction(async (transaction) => {
        const acting = actor && (await shareUser(transaction, actor.userId));
        const isFound = await lockOrg(transaction, orgId);
        actor?.decide(await roleOf(transaction, orgId, actor.userId), acting?.user ?? null);
        const org = isFound ? await transaction.find(findById, { id: asUuid(orgId) }, toOrg) : null;
        if (!org) return null;
        const { name = org.name, metadata = org.metadata } = decide(org);
        const changed = { ...org, name: asLabel(name), metadata, updatedAt: laterThan(org.updatedAt, now) };
        const values = valuesOf(orgs, { name: changed.name, metadata, updatedAt: changed.updatedAt });
        const statement = `update svc_orgs set ${assignmentsOf(orgs, values)} where id = :orgId`;
        await transaction.execute(statement, { ...values, orgId: org.id });
        return changed;
      }),
    delete: (orgId, actor) =>
      db.transaction(async (transaction) => {
        const acting = actor && (await shareUser(transaction, actor.userId));
        const isFound = await lockOrgForDeletion(transaction, orgId);
        actor?.decide(await roleOf(transaction, orgId, actor.userId), acting?.user ?? null);
        // Foreign keys delete the memberships, invites and keys.
        if (isFound) await transaction.execute(remove, { id: orgId });
        return isFound;
      }),
  };
}
