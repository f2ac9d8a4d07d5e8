/** Races for invites: each is accepted once, only the newest for an address is valid, and their mails are limited. */
import { outcomeOf } from '../../../support/outcomes.js';
import {
  concurrentCalls,
  oneWinner,
  scenario,
  verifiedUser,
  type RaceResult,
  type World,
} from '../scenario.js';
import { createOrg } from './orgs.js';

/** Creates a user with an invite that was created a second ago. */
async function createInvite(world: World) {
  const { org } = await createOrg(world);
  const user = await verifiedUser(world);
  const { invite, token } = await world.service.orgs.invite({ orgId: org.id, email: user.email! });
  world.clock.advance(1000);
  return { orgId: org.id, user, inviteId: invite.id, token };
}

/** Accepts these tokens in turn, and returns how many were valid. */
async function countAccepted({ service }: World, userId: string, tokens: readonly string[]): Promise<number> {
  let accepted = 0;
  for (const token of tokens) {
    const outcome = await outcomeOf(() => service.orgs.acceptInvite(token, userId));
    expect(outcome).toMatch(/^(?:ok|token_invalid)$/);
    if (outcome === 'ok') accepted += 1;
  }
  return accepted;
}

const invitesAmong = (mails: RaceResult['mails']) => mails.filter(({ kind }) => kind === 'org_invite');

const many = 'rate_limit_exceeded';

export const invites = [
  scenario({
    name: 'accepts an invite once, and creates one membership',
    refusals: ['token_invalid'],
    async prepare(world) {
      const { org } = await createOrg(world);
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
    name: 'keeps one of several concurrent invites to one address pending and valid',
    options: { orgs: true },
    refusals: ['org_error'],
    async prepare(world) {
      const { org } = await createOrg(world);
      return { orgId: org.id, user: await verifiedUser(world) };
    },
    call: ({ orgId, user }) => ({
      method: 'orgs.invite',
      args: [{ orgId, email: user.email }],
      resultPath: 'token',
    }),
    async expect({ values }, { user }, world) {
      expect(await countAccepted(world, user.id, values)).toBe(1);
    },
  }),
  scenario({
    name: 'accepts an invite once at most while it is replaced, and rejects it afterwards',
    options: { orgs: true },
    refusals: ['token_invalid', 'org_error'],
    prepare: createInvite,
    call: ({ orgId, user, token }, index) =>
      index % 10 === 3
        ? { method: 'orgs.invite', args: [{ orgId, email: user.email }] }
        : { method: 'orgs.acceptInvite', args: [token, user.id], resultPath: 'role' },
    async expect({ values }, { user, token }, { service }) {
      expect(values.filter((role) => role === 'member').length).toBeLessThanOrEqual(1);
      await expect(service.orgs.acceptInvite(token, user.id)).rejects.toMatchObject({
        code: 'token_invalid',
      });
    },
  }),
  scenario({
    name: 'rejects an invite as soon as a newer one exists, and keeps one of the newer ones pending',
    options: { orgs: true },
    refusals: ['token_invalid'],
    // For two of them the first invite is not accepted before it was replaced, which would hide that it is still valid.
    prepare: async (world) => [
      await createInvite(world),
      await createInvite(world),
      await createInvite(world),
      await createInvite(world),
    ],
    call(people, index) {
      const at = index % people.length;
      const { orgId, user, token } = people[at]!;
      return at < 2 || index % 8 < 4
        ? {
            method: 'orgs.replaceInvite',
            args: [{ orgId, email: user.email, userId: user.id, token }],
            resultPath: '',
          }
        : { method: 'orgs.acceptInvite', args: [token, user.id], resultPath: 'role' };
    },
    async expect({ outcomes }, people, world) {
      for (const [at, { orgId, user }] of people.entries()) {
        const outcomesHere = outcomes.filter((_outcome, i) => i % people.length === at);
        const replaced = outcomesHere.filter((outcome) => outcome.includes(' '));
        expect(new Set(replaced.map((outcome) => outcome.split(' ')[0]))).toEqual(
          new Set(['ok:token_invalid']),
        );
        expect(outcomesHere.filter((outcome) => outcome === 'ok:member').length).toBeLessThanOrEqual(
          at < 2 ? 0 : 1,
        );
        expect(await world.service.orgs.listInvites(orgId)).toHaveLength(1);
        const tokens = replaced.map((outcome) => outcome.split(' ')[1]!);
        expect(await countAccepted(world, user.id, tokens)).toBe(1);
        expect(await world.service.orgs.listForUser(user.id)).toMatchObject([{ orgId, role: 'member' }]);
      }
    },
  }),
  scenario({
    name: 'rejects invites that are older than the pending one but stored after it, also after it was accepted',
    options: { rateLimit: { maxPerWindow: 2 * concurrentCalls } },
    refusals: ['token_invalid', 'org_error'],
    async prepare(world) {
      const newest = await createInvite(world);
      // As if from a process whose mails are slow.
      world.clock.advance(-2000);
      return newest;
    },
    call: ({ orgId, user, token }, index) =>
      index % 5 === 2
        ? { method: 'orgs.acceptInvite', args: [token, user.id], resultPath: 'role' }
        : { method: 'orgs.invite', args: [{ orgId, email: user.email, role: 'admin' }] },
    async expect({ tally, mails }, { orgId, user }, world) {
      const older = 0.8 * concurrentCalls;
      expect(tally).toEqual({ 'ok:member': 1, token_invalid: 0.2 * concurrentCalls - 1, org_error: older });
      const mailed = invitesAmong(mails);
      const tokens = mailed.map(({ text }) => /[?&]token=([\w.-]+)/.exec(text)![1]!);
      expect(tokens).toHaveLength(older);
      expect(await countAccepted(world, user.id, tokens)).toBe(0);
      expect(await world.service.orgs.listInvites(orgId)).toEqual([]);
      expect(await world.service.orgs.listForUser(user.id)).toMatchObject([{ role: 'member' }]);
    },
  }),
  scenario({
    name: 'accepts or revokes an invite, once in total',
    refusals: ['token_invalid'],
    prepare: createInvite,
    call: ({ orgId, user, inviteId, token }, index) =>
      index % 2 === 0
        ? { method: 'orgs.revokeInvite', args: [orgId, inviteId] }
        : { method: 'orgs.acceptInvite', args: [token, user.id], resultPath: 'role' },
    // Locks the invite that both calls write, not the organization, at which they would wait before they read.
    lockedRows: ({ inviteId }) => ({ table: 'svc_org_invites', where: ['id', inviteId] }),
    async expect({ tally, events }, { user, token }, world) {
      const ends = events.filter((name) => /^org\.(?:member_added|invite_revoked)$/.test(name));
      expect(ends).toHaveLength(1);
      expect(tally['ok:member'] ?? 0).toBe(ends[0] === 'org.member_added' ? 1 : 0);
      expect(await world.service.orgs.listForUser(user.id)).toHaveLength(tally['ok:member'] ?? 0);
      expect(await countAccepted(world, user.id, [token])).toBe(0);
    },
  }),
  ...[
    { recipients: 'one address', max: 5, address: (email: string) => email },
    {
      recipients: 'all addresses of one mailbox',
      max: 10,
      address: (email: string, index: number) => email.replace('@', `+${index}@`),
    },
  ].map(({ recipients, max, address }) =>
    scenario({
      name: `mails ${max} invites to ${recipients}, from any inviters and organizations`,
      refusals: [many],
      async prepare(world) {
        const created = [await createOrg(world), await createOrg(world), await createOrg(world)];
        return { created, email: world.person() };
      },
      call({ created, email }, index) {
        const { org, owner } = created[index % created.length]!;
        const invitedByUserId = index % 2 === 0 ? owner.id : undefined;
        return {
          method: 'orgs.invite',
          args: [{ orgId: org.id, email: address(email, index), invitedByUserId }],
        };
      },
      expect({ tally, mails }) {
        expect(tally).toEqual({ ok: max, [many]: concurrentCalls - max });
        expect(invitesAmong(mails)).toHaveLength(max);
      },
    }),
  ),
  ...[
    { sender: 'a user', by: (id: string) => [{ invitedByUserId: id }] },
    { sender: 'a client', by: () => [{}, { ip: '192.0.2.12' }] },
  ].map(({ sender, by }) =>
    scenario({
      name: `limits the invites that ${sender} sends to any addresses to twenty times the limit of one address`,
      refusals: [many],
      options: { rateLimit: { maxPerWindow: 1 } },
      async prepare(world) {
        const { org, owner } = await createOrg(world);
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
        expect(tally).toEqual({ ok: 20, [many]: concurrentCalls - 20 });
        expect(invitesAmong(mails)).toHaveLength(20);
      },
    }),
  ),
];
