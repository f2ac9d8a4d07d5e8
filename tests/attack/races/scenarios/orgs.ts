/** Races for organisations: slugs, and the last owner. */
import { callsAtOnce, oneWinner, scenario, verifiedUser, winners, type World } from '../scenario.js';

const refused = ['org_error', 'not_authorized'];

export async function founded(world: World) {
  const owner = await verifiedUser(world);
  const { org } = await world.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
  return { owner, org };
}

/** An organisation with two owners. */
async function shared(world: World) {
  const { owner, org } = await founded(world);
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
    name: 'a slug is taken once',
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
    name: 'organisations of one name get a slug each',
    refusals: [],
    prepare: verifiedUser,
    call: ({ id }) => ({
      method: 'orgs.create',
      args: [{ name: `Of ${id}`, ownerUserId: id }],
      tell: 'org.slug',
    }),
    expect({ told }) {
      expect(new Set(told).size).toBe(callsAtOnce);
    },
  }),
  scenario({
    name: 'two owners who demote each other leave one owner',
    refusals: refused,
    prepare: shared,
    call({ orgId, ids: [one, other] }, index) {
      const [target, actingUserId] = index % 2 === 0 ? [one, other] : [other, one];
      return { method: 'orgs.setRole', args: [orgId, target, 'member', { actingUserId }] };
    },
    held: ({ orgId }) => ({ table: 'svc_orgs', where: ['id', orgId] }),
    async expect(_seen, { orgId }, world) {
      expect(await ownersOf(world, orgId)).toBe(1);
    },
  }),
  scenario({
    name: 'two owners who leave leave one owner',
    refusals: refused,
    prepare: shared,
    call: ({ orgId, ids }, index) => ({ method: 'orgs.removeMember', args: [orgId, ids[index % 2]] }),
    held: ({ orgId }) => ({ table: 'svc_orgs', where: ['id', orgId] }),
    async expect(seen, { orgId }, world) {
      expect(winners(seen)).toBe(1);
      expect(await ownersOf(world, orgId)).toBe(1);
    },
  }),
  scenario({
    name: 'of two owners who delete their accounts one stays',
    refusals: ['org_error', 'user_not_found'],
    prepare: shared,
    call: ({ ids }, index) => ({ method: 'account.deleteUser', args: [ids[index % 2]] }),
    async expect(seen, { orgId }, world) {
      expect(winners(seen)).toBe(1);
      expect(await ownersOf(world, orgId)).toBe(1);
    },
  }),
  scenario({
    name: 'an organisation that is deleted is deleted once, and nothing made in it meanwhile is left',
    refusals: [...refused, 'token_invalid'],
    async prepare(world) {
      const { org } = await founded(world);
      const user = await verifiedUser(world);
      const { token } = await world.service.orgs.invite({ orgId: org.id, email: user.email! });
      return { orgId: org.id, user, token, address: world.person() };
    },
    call: ({ orgId, user, token, address }, index) =>
      [
        { method: 'apiKeys.create', args: [{ orgId, name: 'CI' }], tell: 'key' },
        { method: 'orgs.addMember', args: [orgId, user.id, 'member'], tell: 'role' },
        { method: 'orgs.invite', args: [{ orgId, email: address }], tell: 'token' },
        { method: 'orgs.acceptInvite', args: [token, user.id], tell: 'role' },
        { method: 'orgs.delete', args: [orgId] },
      ][index % 5]!,
    async expect({ tally, outcomes, events }, { orgId, user }, { service }) {
      expect(tally['ok']).toBe(1);
      expect(events.filter((name) => name === 'org.deleted')).toHaveLength(1);
      expect(await service.orgs.get(orgId)).toBeNull();
      expect(await service.orgs.listForUser(user.id)).toEqual([]);
      for (const made of outcomes.filter((outcome) => outcome.startsWith('ok:svc_'))) {
        const key = made.slice('ok:'.length);
        await expect(service.apiKeys.verify(key)).rejects.toMatchObject({ code: 'api_key_invalid' });
      }
    },
  }),
];
