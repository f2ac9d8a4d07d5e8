/** Races for organizations: slugs and the last owner. */
import { concurrentCalls, oneWinner, scenario, verifiedUser, winners, type World } from '../scenario.js';

const refused = ['org_error', 'not_authorized'];

export async function createOrg(world: World) {
  const owner = await verifiedUser(world);
  const { org } = await world.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
  return { owner, org };
}

/** Creates an organization with two owners. */
async function createSharedOrg(world: World) {
  const { owner, org } = await createOrg(world);
  const other = await verifiedUser(world);
  await world.service.orgs.addMember(org.id, other.id, 'owner');
  return { orgId: org.id, ids: [owner.id, other.id] as [string, string] };
}

async function ownersOf({ service }: World, orgId: string): Promise<number> {
  const members = await service.orgs.listMembers(orgId);
  return members.filter(({ role }) => role === 'owner').length;
}

export const orgs = [
  scenario({
    name: 'takes a slug once',
    refusals: ['org_error'],
    async prepare(world) {
      const { id } = await verifiedUser(world);
      return { ownerUserId: id, slug: `slug-${id}` };
    },
    call: ({ ownerUserId, slug }) => ({ method: 'orgs.create', args: [{ name: 'Acme', slug, ownerUserId }] }),
    async expect({ tally }, { ownerUserId }, { service }) {
      expect(tally).toEqual(oneWinner('org_error'));
      expect(await service.orgs.listForUser(ownerUserId)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'gives organizations with the same name different slugs',
    refusals: [],
    prepare: verifiedUser,
    call: ({ id }) => ({
      method: 'orgs.create',
      args: [{ name: `Org of ${id}`, ownerUserId: id }],
      resultPath: 'org.slug',
    }),
    expect({ values }) {
      expect(new Set(values).size).toBe(concurrentCalls);
    },
  }),
  scenario({
    name: 'keeps one owner when two owners demote each other',
    refusals: refused,
    prepare: createSharedOrg,
    call({ orgId, ids: [one, other] }, index) {
      const [target, actingUserId] = index % 2 === 0 ? [one, other] : [other, one];
      return { method: 'orgs.setRole', args: [orgId, target, 'member', { actingUserId }] };
    },
    lockedRows: ({ orgId }) => ({ table: 'svc_orgs', where: ['id', orgId] }),
    async expect(_seen, { orgId }, world) {
      expect(await ownersOf(world, orgId)).toBe(1);
    },
  }),
  scenario({
    name: 'keeps one owner when two owners leave',
    refusals: refused,
    prepare: createSharedOrg,
    call: ({ orgId, ids }, index) => ({ method: 'orgs.removeMember', args: [orgId, ids[index % 2]] }),
    lockedRows: ({ orgId }) => ({ table: 'svc_orgs', where: ['id', orgId] }),
    async expect(result, { orgId }, world) {
      expect(winners(result)).toBe(1);
      expect(await ownersOf(world, orgId)).toBe(1);
    },
  }),
  scenario({
    name: 'keeps one owner when two owners delete their accounts',
    refusals: ['org_error', 'user_not_found'],
    prepare: createSharedOrg,
    call: ({ ids }, index) => ({ method: 'account.deleteUser', args: [ids[index % 2]] }),
    async expect(result, { orgId }, world) {
      expect(winners(result)).toBe(1);
      expect(await ownersOf(world, orgId)).toBe(1);
    },
  }),
  scenario({
    name: 'deletes an organization once, and leaves nothing that was created in it concurrently',
    refusals: [...refused, 'token_invalid'],
    async prepare(world) {
      const { org } = await createOrg(world);
      const user = await verifiedUser(world);
      const { token } = await world.service.orgs.invite({ orgId: org.id, email: user.email! });
      return { orgId: org.id, user, token, address: world.person() };
    },
    call: ({ orgId, user, token, address }, index) =>
      [
        { method: 'apiKeys.create', args: [{ orgId, name: 'CI' }], resultPath: 'key' },
        { method: 'orgs.addMember', args: [orgId, user.id, 'member'], resultPath: 'role' },
        // Each to another address: one mailbox has a limit, which slow calls reach before the deletion.
        { method: 'orgs.invite', args: [{ orgId, email: `${index}-${address}` }], resultPath: 'token' },
        { method: 'orgs.acceptInvite', args: [token, user.id], resultPath: 'role' },
        { method: 'orgs.delete', args: [orgId] },
      ][index % 5]!,
    async expect({ tally, outcomes, events }, { orgId, user }, { service }) {
      expect(tally['ok']).toBe(1);
      expect(events.filter((name) => name === 'org.deleted')).toHaveLength(1);
      expect(await service.orgs.get(orgId)).toBeNull();
      expect(await service.orgs.listForUser(user.id)).toEqual([]);
      for (const created of outcomes.filter((outcome) => outcome.startsWith('ok:svc_'))) {
        const key = created.slice('ok:'.length);
        await expect(service.apiKeys.verify(key)).rejects.toMatchObject({ code: 'api_key_invalid' });
      }
    },
  }),
];
