/** Races for organisations: invites, slugs, and the last owner. */
import { callsAtOnce, oneWinner, scenario, verifiedUser, winners, type World } from '../scenario.js';

const refused = ['org_error', 'not_authorized'];

async function founded(world: World) {
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
    name: 'an invite is accepted once, and makes one membership',
    refusals: ['token_invalid'],
    async prepare(world) {
      const { org } = await founded(world);
      const user = await verifiedUser(world);
      const invite = { orgId: org.id, email: user.email!, role: 'admin' as const };
      return { userId: user.id, token: (await world.service.orgs.invite(invite)).token };
    },
    call: ({ token, userId }) => ({ method: 'orgs.acceptInvite', args: [token, userId] }),
    async expect({ tally, events }, { userId }, { service }) {
      expect(tally).toEqual(oneWinner('token_invalid'));
      expect(events.filter((name) => name === 'org.member_added')).toHaveLength(1);
      expect(await service.orgs.listForUser(userId)).toMatchObject([{ role: 'admin' }]);
    },
  }),
  scenario({
    name: 'of invites to one address one is pending in the end, and lets in',
    options: { orgs: true },
    refusals: ['org_error'],
    async prepare(world) {
      const { org } = await founded(world);
      return { orgId: org.id, user: await verifiedUser(world) };
    },
    call: ({ orgId, user }) => ({
      method: 'orgs.invite',
      args: [{ orgId, email: user.email }],
      tell: 'token',
    }),
    async expect({ told }, { user }, { service }) {
      const looks = [];
      for (const token of told) looks.push(await service.orgs.acceptInvite(token, user.id).catch(() => null));
      expect(looks.filter((membership) => membership !== null)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'an invite that is replaced while it is accepted lets in once at most, and then the new one does',
    options: { orgs: true },
    refusals: ['token_invalid', 'org_error'],
    async prepare(world) {
      const { org } = await founded(world);
      const user = await verifiedUser(world);
      const { token } = await world.service.orgs.invite({ orgId: org.id, email: user.email! });
      world.clock.advance(1000);
      return { orgId: org.id, user, token };
    },
    call: ({ orgId, user, token }, index) =>
      index % 10 === 3
        ? { method: 'orgs.invite', args: [{ orgId, email: user.email }] }
        : { method: 'orgs.acceptInvite', args: [token, user.id], tell: 'role' },
    async expect({ told }, { user, token }, { service }) {
      expect(told.filter((role) => role === 'member').length).toBeLessThanOrEqual(1);
      await expect(service.orgs.acceptInvite(token, user.id)).rejects.toMatchObject({
        code: 'token_invalid',
      });
    },
  }),
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
