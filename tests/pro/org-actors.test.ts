// What the role of the acting user permits: API keys of organizations, pending invites, deletion
// (docs/security-requirements.md A-100, C-31, C-32).
import type { OrgRole } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { day, unknownId, invalidIds, proFixtures } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';
import { gate } from '../support/password-accounts.js';

const roles: OrgRole[] = ['member', 'admin', 'owner'];

describeAdapters('Actors in an organization', ({ make, uniqueEmail, openTransaction }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });

  async function scene(overrides: Parameters<typeof makePro>[0] = {}) {
    const test = await makePro(overrides);
    const { orgs, apiKeys } = test.service;
    const owner = await verifiedUser(test);
    const { org } = await orgs.create({ name: `Acme ${owner.id}`, ownerUserId: owner.id });
    const member = async (role: OrgRole) => {
      const user = await verifiedUser(test);
      await orgs.addMember(org.id, user.id, role);
      return user;
    };
    const as = ({ id: actingUserId }: { id: string }) => ({ actingUserId });
    return { test, orgs, apiKeys, owner, orgId: org.id, member, as };
  }
  type Scene = Awaited<ReturnType<typeof scene>>;

  /** A user of each role, and a user of another organization. */
  async function usersOfEveryRole({ test, orgs, member }: Scene) {
    const stranger = await verifiedUser(test);
    await orgs.create({ name: `Other ${stranger.id}`, ownerUserId: stranger.id });
    const people = await Promise.all(roles.map(async (role) => [role, await member(role)] as const));
    return [['stranger', stranger] as const, ...people];
  }

  describe('an API key of an organization', () => {
    // C-32
    it('an API key of an organization is created by its admins and owners only', async () => {
      const testScene = await scene();
      const { apiKeys, orgId, as } = testScene;
      const outcomes: Record<string, string> = {};
      for (const [role, user] of await usersOfEveryRole(testScene)) {
        outcomes[role] = await outcomeOf(() => apiKeys.create({ name: role, orgId }, as(user)));
      }
      const refused = 'not_authorized';
      expect(outcomes).toEqual({ stranger: refused, member: refused, admin: 'ok', owner: 'ok' });
      expect((await apiKeys.list({ orgId })).map(({ name }) => name).sort()).toEqual(['admin', 'owner']);
    });

    it('rejects an unknown actor, and a session without an actor, instead of acting as the system', async () => {
      const { apiKeys, orgId, owner } = await scene();
      for (const actingUserId of invalidIds) {
        const create = () => apiKeys.create({ name: 'x', orgId }, { actingUserId: actingUserId as string });
        const refused = typeof actingUserId === 'string' ? 'not_authorized' : 'invalid_request';
        expect(await outcomeOf(create)).toBe(refused);
      }
      for (const by of [null, {}, 'x', 7, { epoch: 0 }]) {
        expect(await outcomeOf(() => apiKeys.create({ name: 'x', orgId }, by as never))).toBe(
          'invalid_request',
        );
      }
      const odd = [
        null,
        {},
        { actingUserId: owner.id, sessionEpoch: '0' },
        { sessionEpoch: '0' },
        { sessionEpoch: Number.NaN },
      ];
      for (const by of odd) {
        const create = () => apiKeys.create({ name: 'x', userId: owner.id }, by as never);
        expect(await outcomeOf(create)).toBe('invalid_request');
      }
      expect(await apiKeys.list({ orgId })).toEqual([]);
      expect(await apiKeys.list({ userId: owner.id })).toEqual([]);
    });

    it('rejects an API key of an unknown organization with not_authorized for an actor, and org_error for the system', async () => {
      const { apiKeys, owner, as } = await scene();
      const create = (by?: { actingUserId: string }) =>
        outcomeOf(() => apiKeys.create({ name: 'x', orgId: unknownId }, by));
      expect([await create(as(owner)), await create()]).toEqual(['not_authorized', 'org_error']);
    });

    it('an API key of an organization is revoked by its admins and owners only, with one event', async () => {
      const testScene = await scene();
      const { test, apiKeys, orgId, owner, as } = testScene;
      const other = await scene();
      const { record } = await apiKeys.create({ name: 'x', orgId });
      const theirs = await apiKeys.create({ name: 'x', orgId: other.orgId });
      const own = await apiKeys.create({ name: 'x', userId: owner.id });
      await test.takeEvents();
      for (const [role, user] of (await usersOfEveryRole(testScene)).slice(0, 2)) {
        const revoke = () => apiKeys.revoke(record.id, { orgId, ...as(user) });
        expect([role, await outcomeOf(revoke)]).toEqual([role, 'not_authorized']);
      }
      await test.takeEvents();
      for (const id of [theirs.record.id, own.record.id, unknownId, 'x']) {
        expect(await outcomeOf(() => apiKeys.revoke(id, { orgId, ...as(owner) }))).toBe('ok');
      }
      for (const { key } of [theirs, own]) expect((await apiKeys.verify(key)).revokedAt).toBeNull();
      expect(await test.takeEvents()).toEqual([]);
      expect(await race(20, () => apiKeys.revoke(record.id, { orgId, ...as(owner) }))).toEqual({ ok: 20 });
      const payload = { apiKeyId: record.id, userId: null, orgId };
      expect(await test.takeEvents()).toEqual([{ name: 'api_key.revoked', payload }]);
      for (const by of [
        null,
        {},
        { orgId },
        { orgId: undefined, ...as(owner) },
        { orgId: 7, ...as(owner) },
      ]) {
        expect(await outcomeOf(() => apiKeys.revoke(own.record.id, by as never))).toBe('invalid_request');
      }
    });

    it('an API key of an organization is not created by an admin after their removal, by any pending call', async () => {
      const { apiKeys, orgs, orgId, member, as } = await scene();
      const admin = await member('admin');
      let keysAtRemoval: number | undefined;
      const remove = async () => {
        await orgs.removeMember(orgId, admin.id);
        keysAtRemoval = (await apiKeys.list({ orgId })).length;
      };
      const tally = await race(50, (i) =>
        i === 20 ? remove() : apiKeys.create({ name: `key ${i}`, orgId }, as(admin)),
      );
      const created = (tally['ok'] ?? 0) - 1;
      expect(tally['not_authorized'] ?? 0).toBe(49 - created);
      expect([keysAtRemoval, (await apiKeys.list({ orgId })).length]).toEqual([created, created]);
      expect(await outcomeOf(() => apiKeys.create({ name: 'x', orgId }, as(admin)))).toBe('not_authorized');
    });
  });

  describe('listInvites', () => {
    it('returns pending invites to admins and owners, oldest first, without their tokens', async () => {
      const testScene = await scene();
      const { test, orgs, orgId, owner, as } = testScene;
      const invite = async (role: OrgRole, email = uniqueEmail()) => {
        test.clock.advance(1);
        return orgs.invite({ orgId, email, role, invitedByUserId: owner.id });
      };
      const expired = await invite('member');
      test.clock.advance(7 * day - 1);
      const [first, second] = [await invite('owner'), await invite('member')];
      const user = await verifiedUser(test);
      await orgs.acceptInvite((await invite('member', user.email!)).token, user.id);
      const pending = [first.invite, second.invite];
      expect(await orgs.listInvites(orgId)).toEqual(pending);
      for (const [role, who] of await usersOfEveryRole(testScene)) {
        const list = () => orgs.listInvites(orgId, as(who));
        if (role === 'admin' || role === 'owner') expect(await list()).toEqual(pending);
        else expect(await outcomeOf(list)).toBe('not_authorized');
      }
      for (const { token } of [expired, first, second]) {
        expect(JSON.stringify(await orgs.listInvites(orgId))).not.toContain(token);
      }
    });

    it('rejects an unknown organization with org_error, and with not_authorized for an actor', async () => {
      const { orgs, orgId, owner, as } = await scene();
      for (const id of invalidIds) {
        const text = id as string;
        expect(await outcomeOf(() => orgs.listInvites(text))).toBe('org_error');
        expect(await outcomeOf(() => orgs.listInvites(text, as(owner)))).toBe('not_authorized');
        const acting = { actingUserId: text };
        expect(await outcomeOf(() => orgs.listInvites(orgId, acting))).toMatch(
          /not_authorized|invalid_request/,
        );
      }
    });
  });

  describe('revokeInvite', () => {
    it('revokes an invite with an event, and ignores invites that are unknown, accepted or of another organization', async () => {
      const { test, orgs, orgId, owner, as } = await scene();
      const other = await scene();
      const user = await verifiedUser(test);
      const { invite, token } = await orgs.invite({ orgId, email: user.email! });
      const theirs = await orgs.invite({ orgId: other.orgId, email: user.email! });
      await test.takeEvents();
      await orgs.revokeInvite(orgId, theirs.invite.id, as(owner));
      expect(await orgs.listInvites(other.orgId)).toEqual([theirs.invite]);
      expect(await orgs.revokeInvite(orgId, invite.id, as(owner))).toBeUndefined();
      expect(await outcomeOf(() => orgs.acceptInvite(token, user.id))).toBe('token_invalid');
      expect(await orgs.listInvites(orgId)).toEqual([]);
      const payload = { orgId, inviteId: invite.id };
      expect(await test.takeEvents()).toEqual([{ name: 'org.invite_revoked', payload }]);
      await orgs.acceptInvite(theirs.token, user.id);
      await test.takeEvents();
      for (const id of [invite.id, unknownId, 'x', '']) await orgs.revokeInvite(orgId, id, as(owner));
      await orgs.revokeInvite(other.orgId, theirs.invite.id);
      expect(await test.takeEvents()).toEqual([]);
    });

    // A-100, C-31
    it('lets admins and owners revoke invites to roles up to their own', async () => {
      const testScene = await scene();
      const { orgs, orgId, as } = testScene;
      const allowed: string[] = [];
      for (const [actor, user] of await usersOfEveryRole(testScene)) {
        for (const role of roles) {
          const { invite } = await orgs.invite({ orgId, email: uniqueEmail(), role });
          const outcome = await outcomeOf(() => orgs.revokeInvite(orgId, invite.id, as(user)));
          expect(outcome).toBe(outcome === 'ok' ? 'ok' : 'not_authorized');
          const ids = (await orgs.listInvites(orgId)).map(({ id }) => id);
          expect(ids.includes(invite.id)).toBe(outcome !== 'ok');
          if (outcome === 'ok') allowed.push(`${actor} withdraws ${role}`);
        }
        const unknown = await outcomeOf(() => orgs.revokeInvite(orgId, unknownId, as(user)));
        expect(unknown).toBe(actor === 'admin' || actor === 'owner' ? 'ok' : 'not_authorized');
      }
      expect(allowed).toEqual([
        'admin withdraws member',
        'admin withdraws admin',
        'owner withdraws member',
        'owner withdraws admin',
        'owner withdraws owner',
      ]);
    });

    it('rejects unknown actors and malformed ids, and never fails otherwise', async () => {
      const { orgs, orgId, owner, as } = await scene();
      const { invite } = await orgs.invite({ orgId, email: uniqueEmail() });
      for (const id of invalidIds) {
        const text = id as string;
        expect(await outcomeOf(() => orgs.revokeInvite(text, invite.id))).toBe('org_error');
        expect(await outcomeOf(() => orgs.revokeInvite(text, invite.id, as(owner)))).toBe('not_authorized');
        const outcome = await outcomeOf(() => orgs.revokeInvite(orgId, text));
        expect(outcome).toBe(typeof id === 'string' ? 'ok' : 'invalid_request');
        const acting = { actingUserId: text };
        const byOdd = await outcomeOf(() => orgs.revokeInvite(orgId, invite.id, acting));
        expect(byOdd).toBe(typeof id === 'string' ? 'not_authorized' : 'invalid_request');
      }
      expect(await orgs.listInvites(orgId)).toEqual([invite]);
    });

    it('either accepts or revokes an invite in concurrent calls, never both', async () => {
      const { test, orgs, orgId } = await scene();
      const user = await verifiedUser(test);
      for (let round = 0; round < 5; round += 1) {
        const { invite, token } = await orgs.invite({ orgId, email: user.email! });
        await test.takeEvents();
        const tally = await race(20, (i) =>
          i % 2 ? orgs.acceptInvite(token, user.id) : orgs.revokeInvite(orgId, invite.id),
        );
        const names = await test.takeEventNames();
        const joined = (await orgs.roleOf(orgId, user.id)) !== null;
        expect(names).toEqual([joined ? 'org.member_added' : 'org.invite_revoked']);
        expect(tally).toEqual({ ok: joined ? 11 : 10, token_invalid: joined ? 9 : 10 });
        if (joined) await orgs.removeMember(orgId, user.id);
      }
    });

    // A-100, C-31
    it('rejects an invite that would replace one which the inviter cannot revoke', async () => {
      const mailed: string[] = [];
      const sender = { send: async ({ to }: { to: string }) => void mailed.push(to) };
      const { test, orgs, orgId, owner, member, as } = await scene({
        providers: { orgs: { sender, inviteUrl: 'https://app.test/join' } },
      });
      const [admin, user] = [await member('admin'), await verifiedUser(test)];
      const invite = (role: OrgRole, { id }: { id: string }) =>
        orgs.invite({ orgId, email: user.email!, role, invitedByUserId: id });
      const pending = await invite('owner', owner);
      test.clock.advance(1);
      await test.takeEvents();
      for (const role of ['member', 'admin'] as const) {
        expect(await outcomeOf(() => invite(role, admin))).toBe('not_authorized');
      }
      expect(await test.takeEvents()).toEqual([]);
      // Only the invite of the owner: rejected invites send no mail.
      expect(mailed).toEqual([user.email]);
      expect(await orgs.listInvites(orgId)).toEqual([pending.invite]);
      await orgs.revokeInvite(orgId, pending.invite.id, as(owner));
      const { invite: next } = await invite('admin', admin);
      expect(await orgs.listInvites(orgId)).toEqual([next]);
      test.clock.advance(1);
      await invite('owner', owner);
      test.clock.advance(7 * day);
      expect(await outcomeOf(() => invite('member', admin))).toBe('ok');
    });

    // C-32
    it('rejects an invite with a slow mail whose admin was removed in the meantime', async () => {
      const [sending, release] = [gate(), gate()];
      const send = () => {
        sending.open();
        return release.opened;
      };
      const { test, orgs, orgId, member } = await scene({
        providers: { orgs: { sender: { send }, inviteUrl: 'https://app.test/join' } },
      });
      const [admin, email] = [await member('admin'), uniqueEmail()];
      const slow = outcomeOf(() => orgs.invite({ orgId, email, invitedByUserId: admin.id }));
      await sending.opened;
      await orgs.removeMember(orgId, admin.id);
      await test.takeEvents();
      release.open();
      expect(await slow).toBe('not_authorized');
      expect(await test.takeEvents()).toEqual([]);
      expect(await orgs.listInvites(orgId)).toEqual([]);
    });

    it('keeps a revoked address free of an older invite with a slow mail', async () => {
      const slow: (() => void)[] = [];
      const send = async () => {
        if (slow.length === 0) await new Promise<void>((resolve) => slow.push(resolve));
      };
      const { test, orgs, orgId } = await scene({
        providers: { orgs: { sender: { send }, inviteUrl: 'https://app.test/join' } },
      });
      const email = uniqueEmail();
      const older = outcomeOf(() => orgs.invite({ orgId, email, role: 'owner' }));
      while (slow.length === 0) await new Promise((resolve) => setImmediate(resolve));
      test.clock.advance(1);
      const { invite } = await orgs.invite({ orgId, email });
      await orgs.revokeInvite(orgId, invite.id);
      slow[0]?.();
      expect(await older).toBe('org_error');
      expect(await orgs.listInvites(orgId)).toEqual([]);
    });
  });

  describe('delete', () => {
    //
    it('permits the deletion of an organization to owners and to the system', async () => {
      const testScene = await scene();
      const { test, orgs, orgId, as } = testScene;
      const people = await usersOfEveryRole(testScene);
      await test.takeEvents();
      for (const [role, user] of people) {
        const outcome = await outcomeOf(() => orgs.delete(orgId, as(user)));
        expect([role, outcome]).toEqual([role, role === 'owner' ? 'ok' : 'not_authorized']);
      }
      expect(await orgs.get(orgId)).toBeNull();
      expect(await test.takeEvents()).toEqual([{ name: 'org.deleted', payload: { orgId } }]);
      expect(await outcomeOf(() => orgs.delete(orgId))).toBe('org_error');
    });

    it('rejects other users, without revealing whether the organization exists', async () => {
      const { orgs, orgId, owner, as } = await scene();
      for (const id of invalidIds) {
        const text = id as string;
        expect(await outcomeOf(() => orgs.delete(text, as(owner)))).toBe('not_authorized');
        const byOdd = await outcomeOf(() => orgs.delete(orgId, { actingUserId: text }));
        expect(byOdd).toBe(typeof id === 'string' ? 'not_authorized' : 'invalid_request');
      }
      for (const acting of [null, {}, 'x', 7]) {
        expect(await outcomeOf(() => orgs.delete(orgId, acting as never))).toBe('invalid_request');
      }
      expect(await orgs.get(orgId)).not.toBeNull();
    });
  });

  // The removal is in an open transaction, which no other transaction sees yet.
  if (openTransaction)
    it('rejects calls of a user whose removal is being committed', async () => {
      const testScene = await scene();
      const { orgs, apiKeys, orgId, member, as } = testScene;
      const removed = await member('owner');
      const { record } = await apiKeys.create({ name: 'x', orgId });
      const { invite } = await orgs.invite({ orgId, email: uniqueEmail() });
      const removal = await openTransaction(
        `select id from svc_orgs where id = '${orgId}' for no key update;
         delete from svc_org_memberships where org_id = '${orgId}' and user_id = '${removed.id}'`,
      );
      // A call that does not wait still sees the role.
      expect(await orgs.roleOf(orgId, removed.id)).toBe('owner');
      const tally = race(4, (i) =>
        [
          () => apiKeys.create({ name: 'y', orgId }, as(removed)),
          () => apiKeys.revoke(record.id, { orgId, ...as(removed) }),
          () => orgs.revokeInvite(orgId, invite.id, as(removed)),
          () => orgs.delete(orgId, as(removed)),
        ][i]!(),
      );
      await removal.untilWaiting(4);
      await removal.commit();
      expect(await tally).toEqual({ not_authorized: 4 });
      expect(await apiKeys.list({ orgId })).toEqual([record]);
      expect(await orgs.listInvites(orgId)).toEqual([invite]);
    });
});
