// Organizations with members, for the tests of the organizations provider.
import type { OrgRole } from 'svc-auth';
import type { StorageContext } from '../support/describe-adapters.js';
import type { TestService } from '../support/make-service.js';
import { proFixtures, type ProService } from '../support/make-pro-service.js';

export const roles: OrgRole[] = ['member', 'admin', 'owner'];

export function orgMembers({ make, uniqueEmail }: Pick<StorageContext, 'make' | 'uniqueEmail'>) {
  const users = proFixtures({ make, uniqueEmail });
  const { makePro, verifiedUser } = users;
  let slugs = 0;
  const slug = () => `slug-${(slugs += 1)}-${Math.floor(performance.now() * 1000)}`;

  async function acme(overrides: Parameters<typeof makePro>[0] = {}) {
    const test = await makePro(overrides);
    const owner = await verifiedUser(test);
    const { org } = await test.service.orgs.create({ name: 'Acme', slug: slug(), ownerUserId: owner.id });
    await test.takeEvents();
    return { test, owner, org, orgs: test.service.orgs };
  }
  /** A new user with this role in the organization. */
  async function member(test: ProService, orgId: string, role: OrgRole) {
    const user = await verifiedUser(test);
    await test.service.orgs.addMember(orgId, user.id, role);
    return user;
  }
  const rolesIn = async ({ service }: TestService, orgId: string) =>
    (await service.orgs.listMembers(orgId)).map(({ role }) => role).sort();

  return { ...users, slug, acme, member, rolesIn };
}
