/** Races for invites: each lets in once, the newest of an address counts, and its mails are counted. */
import { outcomeOf } from '../../../support/outcomes.js';
import { callsAtOnce, oneWinner, scenario, verifiedUser, type Seen, type World } from '../scenario.js';
import { founded } from './orgs.js';

/** Somebody with an invite of a second ago. */
async function invited(world: World) {
  const { org } = await founded(world);
  const user = await verifiedUser(world);
  const { invite, token } = await world.service.orgs.invite({ orgId: org.id, email: user.email! });
  world.clock.advance(1000);
  return { orgId: org.id, user, inviteId: invite.id, token };
}

/** How many of these tokens let the user in. */
async function countGood({ service }: World, userId: string, tokens: readonly string[]): Promise<number> {
  let good = 0;
  for (const token of tokens) {
    const outcome = await outcomeOf(() => service.orgs.acceptInvite(token, userId));
    expect(outcome).toMatch(/^(?:ok|token_invalid)$/);
    if (outcome === 'ok') good += 1;
  }
  return good;
}

const invitesAmong = (mails: Seen['mails']) => mails.filter(({ kind }) => kind === 'org_invite');

const many = 'rate_limit_exceeded';

export const invites = [
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
    async expect({ told }, { user }, world) {
      expect(await countGood(world, user.id, told)).toBe(1);
    },
  }),
  scenario({
    name: 'an invite that is replaced while it is accepted lets in once at most, and then the new one does',
    options: { orgs: true },
    refusals: ['token_invalid', 'org_error'],
    prepare: invited,
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
    name: 'an invite lets nobody in from the moment on that there is a newer one, and of those one is pending',
    options: { orgs: true },
    refusals: ['token_invalid'],
    // At two of them nobody accepts the first invite before it was replaced, which would hide that it still is good.
    prepare: async (world) => [
      await invited(world),
      await invited(world),
      await invited(world),
      await invited(world),
    ],
    call(people, index) {
      const at = index % people.length;
      const { orgId, user, token } = people[at]!;
      return at < 2 || index % 8 < 4
        ? {
            method: 'orgs.replaceInvite',
            args: [{ orgId, email: user.email, userId: user.id, token }],
            tell: '',
          }
        : { method: 'orgs.acceptInvite', args: [token, user.id], tell: 'role' };
    },
    async expect({ outcomes }, people, world) {
      for (const [at, { orgId, user }] of people.entries()) {
        const own = outcomes.filter((_outcome, i) => i % people.length === at);
        const replaced = own.filter((outcome) => outcome.includes(' '));
        expect(new Set(replaced.map((outcome) => outcome.split(' ')[0]))).toEqual(
          new Set(['ok:token_invalid']),
        );
        expect(own.filter((outcome) => outcome === 'ok:member').length).toBeLessThanOrEqual(at < 2 ? 0 : 1);
        expect(await world.service.orgs.listInvites(orgId)).toHaveLength(1);
        const tokens = replaced.map((outcome) => outcome.split(' ')[1]!);
        expect(await countGood(world, user.id, tokens)).toBe(1);
        expect(await world.service.orgs.listForUser(user.id)).toMatchObject([{ orgId, role: 'member' }]);
      }
    },
  }),
  scenario({
    name: 'invites that were made before the pending one and are stored after it let nobody in, not after it was accepted either',
    options: { rateLimit: { maxPerWindow: 2 * callsAtOnce } },
    refusals: ['token_invalid', 'org_error'],
    async prepare(world) {
      const newest = await invited(world);
      // As of a process whose mails are slow.
      world.clock.advance(-2000);
      return newest;
    },
    call: ({ orgId, user, token }, index) =>
      index % 5 === 2
        ? { method: 'orgs.acceptInvite', args: [token, user.id], tell: 'role' }
        : { method: 'orgs.invite', args: [{ orgId, email: user.email, role: 'admin' }] },
    async expect({ tally, mails }, { orgId, user }, world) {
      const older = 0.8 * callsAtOnce;
      expect(tally).toEqual({ 'ok:member': 1, token_invalid: 0.2 * callsAtOnce - 1, org_error: older });
      const mailed = invitesAmong(mails);
      const tokens = mailed.map(({ text }) => /[?&]token=([\w.-]+)/.exec(text)![1]!);
      expect(tokens).toHaveLength(older);
      expect(await countGood(world, user.id, tokens)).toBe(0);
      expect(await world.service.orgs.listInvites(orgId)).toEqual([]);
      expect(await world.service.orgs.listForUser(user.id)).toMatchObject([{ role: 'member' }]);
    },
  }),
  scenario({
    name: 'an invite is accepted or withdrawn, and neither twice',
    refusals: ['token_invalid'],
    prepare: invited,
    call: ({ orgId, user, inviteId, token }, index) =>
      index % 2 === 0
        ? { method: 'orgs.revokeInvite', args: [orgId, inviteId] }
        : { method: 'orgs.acceptInvite', args: [token, user.id], tell: 'role' },
    // Not the organisation, at which they would wait before they read: the row that both of them write.
    held: ({ inviteId }) => ({ table: 'svc_org_invites', where: ['id', inviteId] }),
    async expect({ tally, events }, { user, token }, world) {
      const ends = events.filter((name) => /^org\.(?:member_added|invite_revoked)$/.test(name));
      expect(ends).toHaveLength(1);
      expect(tally['ok:member'] ?? 0).toBe(ends[0] === 'org.member_added' ? 1 : 0);
      expect(await world.service.orgs.listForUser(user.id)).toHaveLength(tally['ok:member'] ?? 0);
      expect(await countGood(world, user.id, [token])).toBe(0);
    },
  }),
  ...[
    { to: 'an address are mailed five times', max: 5, address: (email: string) => email },
    {
      to: 'addresses of one mailbox are mailed ten times together',
      max: 10,
      address: (email: string, index: number) => email.replace('@', `+${index}@`),
    },
  ].map(({ to, max, address }) =>
    scenario({
      name: `invites to ${to}, by whomever and to whatever organisations`,
      refusals: [many],
      async prepare(world) {
        const made = [await founded(world), await founded(world), await founded(world)];
        return { made, email: world.person() };
      },
      call({ made, email }, index) {
        const { org, owner } = made[index % made.length]!;
        const invitedByUserId = index % 2 === 0 ? owner.id : undefined;
        return {
          method: 'orgs.invite',
          args: [{ orgId: org.id, email: address(email, index), invitedByUserId }],
        };
      },
      expect({ tally, mails }) {
        expect(tally).toEqual({ ok: max, [many]: callsAtOnce - max });
        expect(invitesAmong(mails)).toHaveLength(max);
      },
    }),
  ),
  ...[
    { who: 'a user', by: (id: string) => [{ invitedByUserId: id }] },
    { who: 'a client', by: () => [{}, { ip: '192.0.2.12' }] },
  ].map(({ who, by }) =>
    scenario({
      name: `${who} has twenty times as many invites mailed as an address gets, to whomever`,
      refusals: [many],
      options: { rateLimit: { maxPerWindow: 1 } },
      async prepare(world) {
        const { org, owner } = await founded(world);
        return { orgId: org.id, ownerId: owner.id, email: world.person() };
      },
      call({ orgId, ownerId, email }, index) {
        const [inviter, ...context] = by(ownerId);
        return {
          method: 'orgs.invite',
          args: [{ orgId, email: `${index}-${email}`, ...inviter }, ...context],
        };
      },
      expect({ tally, mails }) {
        expect(tally).toEqual({ ok: 20, [many]: callsAtOnce - 20 });
        expect(invitesAmong(mails)).toHaveLength(20);
      },
    }),
  ),
];
