// Members of organizations and their roles (specification 4.3 `orgs`; docs/security-requirements.md
// A-100, C-29).
import type { OrgRole } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, unknownId, invalidIds } from '../support/make-pro-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';
import { orgMembers, roles } from './org-members.js';

describeAdapters('Members of organizations', (on) => {
  const { verifiedUser, acme, member, rolesIn } = orgMembers(on);

  describe('addMember, setRole and removeMember as the system', () => {
    it('adds a member, changes the role and removes the member, each with its event', async () => {
      const { test, org, orgs } = await acme();
      const user = await verifiedUser(test);
      await test.takeEvents();
      const createdAt = new Date(test.clock.now());
      const about = { orgId: org.id, userId: user.id };
      expect(await orgs.addMember(org.id, user.id, 'member')).toEqual({
        ...about,
        role: 'member',
        createdAt,
      });
      test.clock.advance(minute);
      expect(await orgs.setRole(org.id, user.id, 'owner')).toEqual({ ...about, role: 'owner', createdAt });
      expect(await orgs.setRole(org.id, user.id, 'admin')).toMatchObject({ role: 'admin' });
      // The current role changes nothing and emits no event.
      expect(await orgs.setRole(org.id, user.id, 'admin')).toMatchObject({ role: 'admin' });
      expect(await orgs.removeMember(org.id, user.id)).toBeUndefined();
      expect(await orgs.roleOf(org.id, user.id)).toBeNull();
      expect(await test.takeEvents()).toEqual([
        { name: 'org.member_added', payload: { ...about, role: 'member' } },
        { name: 'org.role_changed', payload: { ...about, role: 'owner' } },
        { name: 'org.role_changed', payload: { ...about, role: 'admin' } },
        { name: 'org.member_removed', payload: about },
      ]);
    });

    it('rejects existing members, strangers, unknown organizations and roles with org_error, unknown users with user_not_found', async () => {
      const { test, org, owner, orgs } = await acme();
      const stranger = await verifiedUser(test);
      await test.takeEvents();
      expect(await outcomeOf(() => orgs.addMember(org.id, owner.id, 'member'))).toBe('org_error');
      expect(await outcomeOf(() => orgs.setRole(org.id, stranger.id, 'admin'))).toBe('org_error');
      expect(await outcomeOf(() => orgs.removeMember(org.id, stranger.id))).toBe('org_error');
      for (const role of ['', 'Owner', 'root', '__proto__', null, undefined, 2, ['member']]) {
        expect(await outcomeOf(() => orgs.addMember(org.id, stranger.id, role as OrgRole))).toBe('org_error');
        expect(await outcomeOf(() => orgs.setRole(org.id, owner.id, role as OrgRole))).toBe('org_error');
      }
      for (const id of invalidIds) {
        const text = id as string;
        expect(await outcomeOf(() => orgs.addMember(text, stranger.id, 'member'))).toBe('org_error');
        expect(await outcomeOf(() => orgs.setRole(text, owner.id, 'member'))).toBe('org_error');
        expect(await outcomeOf(() => orgs.removeMember(text, owner.id))).toBe('org_error');
        expect(await outcomeOf(() => orgs.addMember(org.id, text, 'member'))).toBe('user_not_found');
        expect(await outcomeOf(() => orgs.setRole(org.id, text, 'member'))).toBe('user_not_found');
        expect(await outcomeOf(() => orgs.removeMember(org.id, text))).toBe('user_not_found');
      }
      expect(await rolesIn(test, org.id)).toEqual(['owner']);
      expect(await test.takeEvents()).toEqual([]);
    });

    // C-29
    it('accepts a guest as a member only', async () => {
      const { test, org, orgs } = await acme();
      const { user } = await test.service.sessionsProvider.createGuest();
      expect(await outcomeOf(() => orgs.addMember(org.id, user.id, 'admin'))).toBe('not_authorized');
      expect(await outcomeOf(() => orgs.addMember(org.id, user.id, 'owner'))).toBe('not_authorized');
      expect(await outcomeOf(() => orgs.addMember(org.id, user.id, 'member'))).toBe('ok');
      expect(await outcomeOf(() => orgs.setRole(org.id, user.id, 'admin'))).toBe('not_authorized');
      expect(await orgs.roleOf(org.id, user.id)).toBe('member');
      await test.service.sessionsProvider.upgrade({
        userId: user.id,
        provider: 'x',
        providerAccountId: user.id,
      });
      expect(await outcomeOf(() => orgs.setRole(org.id, user.id, 'admin'))).toBe('ok');
    });

    it('adds and removes a member once in 50 concurrent calls', async () => {
      const { test, org, orgs } = await acme();
      const user = await verifiedUser(test);
      await test.takeEvents();
      expect(await race(50, () => orgs.addMember(org.id, user.id, 'member'))).toEqual({
        ok: 1,
        org_error: 49,
      });
      expect(await race(50, () => orgs.removeMember(org.id, user.id))).toEqual({ ok: 1, org_error: 49 });
      expect(await test.takeEventNames()).toEqual(['org.member_added', 'org.member_removed']);
    });
  });

  //
  describe('a change on behalf of a user', () => {
    const actors = ['stranger', ...roles] as const;
    type Actor = (typeof actors)[number];

    /** An organization with its owner, an actor and a target. */
    async function scene(actor: Actor, current: OrgRole | null) {
      const { test, org, orgs } = await acme();
      const acting = actor === 'stranger' ? await verifiedUser(test) : await member(test, org.id, actor);
      const target = current === null ? await verifiedUser(test) : await member(test, org.id, current);
      return { test, orgId: org.id, orgs, target, acting: { actingUserId: acting.id } };
    }

    it('lets admins add members and admins, owners add anyone, and all others no one', async () => {
      const allowed: string[] = [];
      for (const actor of actors) {
        const { orgs, orgId, test, acting } = await scene(actor, null);
        for (const role of roles) {
          const user = await verifiedUser(test);
          const outcome = await outcomeOf(() => orgs.addMember(orgId, user.id, role, acting));
          expect(outcome).toBe(outcome === 'ok' ? 'ok' : 'not_authorized');
          expect(await orgs.roleOf(orgId, user.id)).toBe(outcome === 'ok' ? role : null);
          if (outcome === 'ok') allowed.push(`${actor} adds ${role}`);
        }
      }
      expect(allowed).toEqual([
        'admin adds member',
        'admin adds admin',
        'owner adds member',
        'owner adds admin',
        'owner adds owner',
      ]);
    });

    it('lets no one assign a role above their own, or change a member above them', async () => {
      const allowed: string[] = [];
      for (const actor of actors) {
        for (const current of roles) {
          const { orgs, orgId, target, acting } = await scene(actor, current);
          for (const role of roles) {
            const outcome = await outcomeOf(() => orgs.setRole(orgId, target.id, role, acting));
            expect(outcome).toBe(outcome === 'ok' ? 'ok' : 'not_authorized');
            if (outcome === 'ok') allowed.push(`${actor}: ${current} to ${role}`);
            await orgs.setRole(orgId, target.id, current);
          }
        }
      }
      const each = (actor: Actor, from: OrgRole[], to: OrgRole[]) =>
        from.flatMap((current) => to.map((role) => `${actor}: ${current} to ${role}`));
      expect(allowed).toEqual([
        ...each('admin', ['member', 'admin'], ['member', 'admin']),
        ...each('owner', roles, roles),
      ]);
    });

    it('lets admins remove members and admins, owners anyone, and all others only themselves', async () => {
      const allowed: string[] = [];
      for (const actor of actors) {
        for (const current of roles) {
          const { orgs, orgId, target, acting } = await scene(actor, current);
          const outcome = await outcomeOf(() => orgs.removeMember(orgId, target.id, acting));
          expect(outcome).toBe(outcome === 'ok' ? 'ok' : 'not_authorized');
          if (outcome === 'ok') allowed.push(`${actor} removes ${current}`);
        }
      }
      expect(allowed).toEqual([
        'admin removes member',
        'admin removes admin',
        'owner removes member',
        'owner removes admin',
        'owner removes owner',
      ]);
    });

    it('lets every member leave, and no one raise their own role', async () => {
      for (const role of roles) {
        const { test, org, orgs } = await acme();
        const user = await member(test, org.id, role);
        const acting = { actingUserId: user.id };
        for (const higher of roles.slice(roles.indexOf(role) + 1)) {
          expect(await outcomeOf(() => orgs.setRole(org.id, user.id, higher, acting))).toBe('not_authorized');
        }
        expect(await outcomeOf(() => orgs.removeMember(org.id, user.id, acting))).toBe('ok');
        expect(await outcomeOf(() => orgs.addMember(org.id, user.id, role, acting))).toBe('not_authorized');
      }
    });

    it('rejects an actor of another organization with not_authorized', async () => {
      const { orgs, org, test } = await acme();
      const other = await acme();
      const user = await member(test, org.id, 'member');
      const acting = { actingUserId: other.owner.id };
      expect(await outcomeOf(() => orgs.setRole(org.id, user.id, 'admin', acting))).toBe('not_authorized');
      expect(await outcomeOf(() => orgs.removeMember(org.id, user.id, acting))).toBe('not_authorized');
      expect(await outcomeOf(() => orgs.addMember(org.id, other.owner.id, 'owner', acting))).toBe(
        'not_authorized',
      );
    });

    it('rejects an unknown or malformed actor, and never treats one as the system', async () => {
      const { orgs, org, test } = await acme();
      const user = await member(test, org.id, 'member');
      const attempts = invalidIds.flatMap((actingUserId) => {
        const acting = { actingUserId: actingUserId as string };
        return [
          () => orgs.setRole(org.id, user.id, 'owner', acting),
          () => orgs.removeMember(org.id, user.id, acting),
          () => orgs.addMember(org.id, unknownId, 'owner', acting),
        ];
      });
      for (const call of attempts) {
        expect(['not_authorized', 'invalid_request', 'user_not_found']).toContain(await outcomeOf(call));
      }
      for (const acting of [null, {}, 'x', unknownId, 7, [unknownId]]) {
        const raise = () => orgs.setRole(org.id, user.id, 'owner', acting as never);
        expect(await outcomeOf(raise)).toBe('invalid_request');
      }
      expect(await orgs.roleOf(org.id, user.id)).toBe('member');
    });
  });

  //
  describe('the last owner', () => {
    it('rejects any call that would demote or remove the last owner, or delete their account', async () => {
      const { test, org, owner, orgs } = await acme();
      await member(test, org.id, 'admin');
      const self = { actingUserId: owner.id };
      const attempts = [
        () => orgs.setRole(org.id, owner.id, 'admin'),
        () => orgs.setRole(org.id, owner.id, 'member', self),
        () => orgs.removeMember(org.id, owner.id),
        () => orgs.removeMember(org.id, owner.id, self),
        () => test.service.account.deleteUser(owner.id),
      ];
      for (const call of attempts) expect(await outcomeOf(call)).toBe('org_error');
      expect(await orgs.roleOf(org.id, owner.id)).toBe('owner');
      // Setting the current role is not a demotion.
      expect(await outcomeOf(() => orgs.setRole(org.id, owner.id, 'owner', self))).toBe('ok');
    });

    it('lets an owner leave when there is another owner', async () => {
      const { test, org, owner, orgs } = await acme();
      const heir = await member(test, org.id, 'owner');
      expect(await outcomeOf(() => orgs.removeMember(org.id, owner.id, { actingUserId: owner.id }))).toBe(
        'ok',
      );
      expect(await outcomeOf(() => orgs.removeMember(org.id, heir.id))).toBe('org_error');
    });

    it('names the organization in the error when the account of its last owner is deleted', async () => {
      const { test, org, owner } = await acme();
      const error = await errorOf(() => test.service.account.deleteUser(owner.id));
      expect(error.message).toContain(org.id);
    });

    it('keeps one owner when 50 owners leave at the same time', async () => {
      const { test, org, owner, orgs } = await acme();
      const owners = [owner];
      while (owners.length < 50) owners.push(await member(test, org.id, 'owner'));
      const tally = await race(50, (i) => {
        const { id } = owners[i]!;
        return i % 2 === 0
          ? orgs.removeMember(org.id, id, { actingUserId: id })
          : orgs.setRole(org.id, id, 'member');
      });
      expect(tally).toEqual({ ok: 49, org_error: 1 });
      expect((await rolesIn(test, org.id)).filter((role) => role === 'owner')).toHaveLength(1);
    });

    it('keeps one owner when two owners remove each other, or both delete their accounts, at the same time', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { test, org, owner, orgs } = await acme();
        const other = await member(test, org.id, 'owner');
        const pair = [owner.id, other.id];
        const removed = await race(2, (i) =>
          orgs.removeMember(org.id, pair[i]!, { actingUserId: pair[1 - i]! }),
        );
        expect(removed['ok']).toBe(1);
        expect(await rolesIn(test, org.id)).toEqual(['owner']);
        const [{ userId } = { userId: '' }] = await orgs.listMembers(org.id);
        const heir = await member(test, org.id, 'owner');
        const accounts = [userId, heir.id];
        expect(await race(2, (i) => test.service.account.deleteUser(accounts[i]!))).toEqual({
          ok: 1,
          org_error: 1,
        });
        expect(await rolesIn(test, org.id)).toEqual(['owner']);
      }
    });

    it('keeps one owner when one is demoted while the other deletes the account', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { test, org, owner, orgs } = await acme();
        const other = await member(test, org.id, 'owner');
        const tally = await race(2, (i) =>
          i === 0 ? orgs.setRole(org.id, owner.id, 'member') : test.service.account.deleteUser(other.id),
        );
        expect(tally).toEqual({ ok: 1, org_error: 1 });
        expect((await rolesIn(test, org.id)).filter((role) => role === 'owner')).toHaveLength(1);
      }
    });
  });
});
