// What somebody's role decides: keys of organisations, pending invites, deletion (docs/security-requirements.md A-100, C-31, C-32).
import type { OrgRole } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { day, nobody, oddIds, pro } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';
import { gate } from '../support/password-accounts.js';

const roles: OrgRole[] = ['member', 'admin', 'owner'];

describeAdapters('Acting in an organisation', ({ make, person, sql }) => {
  const { makePro, verifiedUser } = pro({ make, person });

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

  /** One of each role, and somebody of another organisation. */
  async function everybody({ test, orgs, member }: Scene) {
    const stranger = await verifiedUser(test);
    await orgs.create({ name: `Other ${stranger.id}`, ownerUserId: stranger.id });
    const people = await Promise.all(roles.map(async (role) => [role, await member(role)] as const));
    return [['stranger', stranger] as const, ...people];
  }

  describe('a key of an organisation', () => {
    it('C-32 is made by its admins and owners, and by nobody else', async () => {
      const made = await scene();
      const { apiKeys, orgId, as } = made;
      const outcomes: Record<string, string> = {};
      for (const [role, user] of await everybody(made)) {
        outcomes[role] = await outcomeOf(() => apiKeys.create({ name: role, orgId }, as(user)));
      }
      const refused = 'not_authorized';
      expect(outcomes).toEqual({ stranger: refused, member: refused, admin: 'ok', owner: 'ok' });
      expect((await apiKeys.list({ orgId })).map(({ name }) => name).sort()).toEqual(['admin', 'owner']);
    });

    it('fails closed: who is no user is not taken for the system, and no session for an actor', async () => {
      const { apiKeys, orgId, owner } = await scene();
      for (const actingUserId of oddIds) {
        const create = () => apiKeys.create({ name: 'x', orgId }, { actingUserId: actingUserId as string });
        const refused = typeof actingUserId === 'string' ? 'not_authorized' : 'invalid_request';
        expect(await outcomeOf(create)).toBe(refused);
      }
      for (const by of [null, {}, 'x', 7, { epoch: 0 }]) {
        expect(await outcomeOf(() => apiKeys.create({ name: 'x', orgId }, by as never))).toBe(
          'invalid_request',
        );
      }
      const odd = [null, {}, { actingUserId: owner.id, epoch: '0' }, { epoch: '0' }, { epoch: Number.NaN }];
      for (const by of odd) {
        const create = () => apiKeys.create({ name: 'x', userId: owner.id }, by as never);
        expect(await outcomeOf(create)).toBe('invalid_request');
      }
      expect(await apiKeys.list({ orgId })).toEqual([]);
      expect(await apiKeys.list({ userId: owner.id })).toEqual([]);
    });

    it('of an organisation that does not exist is not_authorized for an actor, org_error for the system', async () => {
      const { apiKeys, owner, as } = await scene();
      const create = (by?: { actingUserId: string }) =>
        outcomeOf(() => apiKeys.create({ name: 'x', orgId: nobody }, by));
      expect([await create(as(owner)), await create()]).toEqual(['not_authorized', 'org_error']);
    });

    it('is ended by its admins and owners, told once, and no key of anybody else is', async () => {
      const made = await scene();
      const { test, apiKeys, orgId, owner, as } = made;
      const other = await scene();
      const { record } = await apiKeys.create({ name: 'x', orgId });
      const theirs = await apiKeys.create({ name: 'x', orgId: other.orgId });
      const own = await apiKeys.create({ name: 'x', userId: owner.id });
      await test.heard();
      for (const [role, user] of (await everybody(made)).slice(0, 2)) {
        const end = () => apiKeys.revoke(record.id, { orgId, ...as(user) });
        expect([role, await outcomeOf(end)]).toEqual([role, 'not_authorized']);
      }
      await test.heard();
      for (const id of [theirs.record.id, own.record.id, nobody, 'x']) {
        expect(await outcomeOf(() => apiKeys.revoke(id, { orgId, ...as(owner) }))).toBe('ok');
      }
      for (const { key } of [theirs, own]) expect((await apiKeys.verify(key)).revokedAt).toBeNull();
      expect(await test.heard()).toEqual([]);
      expect(await race(20, () => apiKeys.revoke(record.id, { orgId, ...as(owner) }))).toEqual({ ok: 20 });
      const payload = { apiKeyId: record.id, userId: null, orgId };
      expect(await test.heard()).toEqual([{ name: 'api_key.revoked', payload }]);
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

    it('is not made by an admin after their removal, whatever was on its way', async () => {
      const { apiKeys, orgs, orgId, member, as } = await scene();
      const admin = await member('admin');
      let left: number | undefined;
      const remove = async () => {
        await orgs.removeMember(orgId, admin.id);
        left = (await apiKeys.list({ orgId })).length;
      };
      const tally = await race(50, (i) =>
        i === 20 ? remove() : apiKeys.create({ name: `key ${i}`, orgId }, as(admin)),
      );
      const made = (tally['ok'] ?? 0) - 1;
      expect(tally['not_authorized'] ?? 0).toBe(49 - made);
      expect([left, (await apiKeys.list({ orgId })).length]).toEqual([made, made]);
      expect(await outcomeOf(() => apiKeys.create({ name: 'x', orgId }, as(admin)))).toBe('not_authorized');
    });
  });

  describe('listInvites', () => {
    it('tells admins and owners the pending ones, oldest first, and nothing that accepts one', async () => {
      const made = await scene();
      const { test, orgs, orgId, owner, as } = made;
      const invite = async (role: OrgRole, email = person()) => {
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
      for (const [role, who] of await everybody(made)) {
        const list = () => orgs.listInvites(orgId, as(who));
        if (role === 'admin' || role === 'owner') expect(await list()).toEqual(pending);
        else expect(await outcomeOf(list)).toBe('not_authorized');
      }
      for (const { token } of [expired, first, second]) {
        expect(JSON.stringify(await orgs.listInvites(orgId))).not.toContain(token);
      }
    });

    it('of what does not exist is org_error, for an actor not_authorized', async () => {
      const { orgs, orgId, owner, as } = await scene();
      for (const id of oddIds) {
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
    it('ends an invite and tells so; one that is gone, accepted or of another organisation is no error', async () => {
      const { test, orgs, orgId, owner, as } = await scene();
      const other = await scene();
      const user = await verifiedUser(test);
      const { invite, token } = await orgs.invite({ orgId, email: user.email! });
      const theirs = await orgs.invite({ orgId: other.orgId, email: user.email! });
      await test.heard();
      await orgs.revokeInvite(orgId, theirs.invite.id, as(owner));
      expect(await orgs.listInvites(other.orgId)).toEqual([theirs.invite]);
      expect(await orgs.revokeInvite(orgId, invite.id, as(owner))).toBeUndefined();
      expect(await outcomeOf(() => orgs.acceptInvite(token, user.id))).toBe('token_invalid');
      expect(await orgs.listInvites(orgId)).toEqual([]);
      const payload = { orgId, inviteId: invite.id };
      expect(await test.heard()).toEqual([{ name: 'org.invite_revoked', payload }]);
      await orgs.acceptInvite(theirs.token, user.id);
      await test.heard();
      for (const id of [invite.id, nobody, 'x', '']) await orgs.revokeInvite(orgId, id, as(owner));
      await orgs.revokeInvite(other.orgId, theirs.invite.id);
      expect(await test.heard()).toEqual([]);
    });

    it('A-100 C-31 by a user needs admin or owner, at or above the invited role', async () => {
      const made = await scene();
      const { orgs, orgId, as } = made;
      const allowed: string[] = [];
      for (const [actor, user] of await everybody(made)) {
        for (const role of roles) {
          const { invite } = await orgs.invite({ orgId, email: person(), role });
          const outcome = await outcomeOf(() => orgs.revokeInvite(orgId, invite.id, as(user)));
          expect(outcome).toBe(outcome === 'ok' ? 'ok' : 'not_authorized');
          const ids = (await orgs.listInvites(orgId)).map(({ id }) => id);
          expect(ids.includes(invite.id)).toBe(outcome !== 'ok');
          if (outcome === 'ok') allowed.push(`${actor} withdraws ${role}`);
        }
        const unknown = await outcomeOf(() => orgs.revokeInvite(orgId, nobody, as(user)));
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

    it('fails closed, and never by a failure of the service', async () => {
      const { orgs, orgId, owner, as } = await scene();
      const { invite } = await orgs.invite({ orgId, email: person() });
      for (const id of oddIds) {
        const text = id as string;
        expect(await outcomeOf(() => orgs.revokeInvite(text, invite.id))).toBe('org_error');
        expect(await outcomeOf(() => orgs.revokeInvite(text, invite.id, as(owner)))).toBe('not_authorized');
        const ended = await outcomeOf(() => orgs.revokeInvite(orgId, text));
        expect(ended).toBe(typeof id === 'string' ? 'ok' : 'invalid_request');
        const acting = { actingUserId: text };
        const byOdd = await outcomeOf(() => orgs.revokeInvite(orgId, invite.id, acting));
        expect(byOdd).toBe(typeof id === 'string' ? 'not_authorized' : 'invalid_request');
      }
      expect(await orgs.listInvites(orgId)).toEqual([invite]);
    });

    it('races its acceptance: one of both wins', async () => {
      const { test, orgs, orgId } = await scene();
      const user = await verifiedUser(test);
      for (let round = 0; round < 5; round += 1) {
        const { invite, token } = await orgs.invite({ orgId, email: user.email! });
        await test.heard();
        const tally = await race(20, (i) =>
          i % 2 ? orgs.acceptInvite(token, user.id) : orgs.revokeInvite(orgId, invite.id),
        );
        const names = await test.heardNames();
        const joined = (await orgs.roleOf(orgId, user.id)) !== null;
        expect(names).toEqual([joined ? 'org.member_added' : 'org.invite_revoked']);
        expect(tally).toEqual({ ok: joined ? 11 : 10, token_invalid: joined ? 9 : 10 });
        if (joined) await orgs.removeMember(orgId, user.id);
      }
    });

    it('A-100 C-31 nor is it done by a new invite in its place: that takes who may withdraw the pending one', async () => {
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
      await test.heard();
      for (const role of ['member', 'admin'] as const) {
        expect(await outcomeOf(() => invite(role, admin))).toBe('not_authorized');
      }
      expect(await test.heard()).toEqual([]);
      // Only that of the owner: no mail leaves for nothing.
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

    it('C-32 nor by an invite whose mail was slow, of an admin who was removed meanwhile', async () => {
      const [begun, left] = [gate(), gate()];
      const send = () => {
        begun.open();
        return left.opened;
      };
      const { test, orgs, orgId, member } = await scene({
        providers: { orgs: { sender: { send }, inviteUrl: 'https://app.test/join' } },
      });
      const [admin, email] = [await member('admin'), person()];
      const slow = outcomeOf(() => orgs.invite({ orgId, email, invitedByUserId: admin.id }));
      await begun.opened;
      await orgs.removeMember(orgId, admin.id);
      await test.heard();
      left.open();
      expect(await slow).toBe('not_authorized');
      expect(await test.heard()).toEqual([]);
      expect(await orgs.listInvites(orgId)).toEqual([]);
    });

    it('and no older invite whose mail was slow comes back afterwards', async () => {
      const slow: (() => void)[] = [];
      const send = async () => {
        if (slow.length === 0) await new Promise<void>((resolve) => slow.push(resolve));
      };
      const { test, orgs, orgId } = await scene({
        providers: { orgs: { sender: { send }, inviteUrl: 'https://app.test/join' } },
      });
      const email = person();
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
    it('A-100 is for owners, and for the system', async () => {
      const made = await scene();
      const { test, orgs, orgId, as } = made;
      const people = await everybody(made);
      await test.heard();
      for (const [role, user] of people) {
        const outcome = await outcomeOf(() => orgs.delete(orgId, as(user)));
        expect([role, outcome]).toEqual([role, role === 'owner' ? 'ok' : 'not_authorized']);
      }
      expect(await orgs.get(orgId)).toBeNull();
      expect(await test.heard()).toEqual([{ name: 'org.deleted', payload: { orgId } }]);
      expect(await outcomeOf(() => orgs.delete(orgId))).toBe('org_error');
    });

    it('fails closed, and who is no owner does not learn whether there is one', async () => {
      const { orgs, orgId, owner, as } = await scene();
      for (const id of oddIds) {
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

  // The removal is held open: it has happened, and nobody but its own transaction sees it yet.
  if (sql)
    it('what is asked for while the removal of who asks is being written waits for it, and is refused', async () => {
      const made = await scene();
      const { orgs, apiKeys, orgId, member, as } = made;
      const admin = await member('owner');
      const { record } = await apiKeys.create({ name: 'x', orgId });
      const { invite } = await orgs.invite({ orgId, email: person() });
      const removal = sql(`
      begin;
      select id from svc_orgs where id = '${orgId}' for no key update;
      delete from svc_org_memberships where org_id = '${orgId}' and user_id = '${admin.id}';
      select pg_sleep(0.6);
      commit`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      // The role is there for whoever does not wait.
      expect(await orgs.roleOf(orgId, admin.id)).toBe('owner');
      const tally = await race(4, (i) =>
        [
          () => apiKeys.create({ name: 'y', orgId }, as(admin)),
          () => apiKeys.revoke(record.id, { orgId, ...as(admin) }),
          () => orgs.revokeInvite(orgId, invite.id, as(admin)),
          () => orgs.delete(orgId, as(admin)),
        ][i]!(),
      );
      await removal;
      expect(tally).toEqual({ not_authorized: 4 });
      expect(await apiKeys.list({ orgId })).toEqual([record]);
      expect(await orgs.listInvites(orgId)).toEqual([invite]);
    });
});
