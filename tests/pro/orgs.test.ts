// Organisations (specification 4.3 `orgs`; docs/security-requirements.md A-100, T12, C-31).
import { createHash } from 'node:crypto';
import type { OrgRole } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { describeAdapters, noting } from '../support/describe-adapters.js';
import { testSecret, type TestService } from '../support/make-service.js';
import { day, minute, nobody, oddIds, pro, type ProService } from '../support/make-pro-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';

const inviteUrl = 'https://app.test/join?from=mail#top';
const roles: OrgRole[] = ['member', 'admin', 'owner'];

describeAdapters('Organisations', ({ make, person, adapter, sql }) => {
  const { makePro, verifiedUser, unverifiedUser } = pro({ make, person });
  let slugs = 0;
  const slug = () => `slug-${(slugs += 1)}-${Math.floor(performance.now() * 1000)}`;

  async function acme(overrides: Parameters<typeof makePro>[0] = {}) {
    const test = await makePro(overrides);
    const owner = await verifiedUser(test);
    const { org } = await test.service.orgs.create({ name: 'Acme', slug: slug(), ownerUserId: owner.id });
    await test.heard();
    return { test, owner, org, orgs: test.service.orgs };
  }
  /** A new user who holds the role. */
  async function member(test: ProService, orgId: string, role: OrgRole) {
    const user = await verifiedUser(test);
    await test.service.orgs.addMember(orgId, user.id, role);
    return user;
  }
  const rolesIn = async ({ service }: TestService, orgId: string) =>
    (await service.orgs.listMembers(orgId)).map(({ role }) => role).sort();

  describe('create', () => {
    it('makes an organisation whose creator is its owner', async () => {
      const test = await makePro();
      const owner = await verifiedUser(test);
      await test.heard();
      const now = new Date(test.clock.now());
      const name = slug();
      const created = await test.service.orgs.create({
        name: ' Acme GmbH ',
        slug: name,
        ownerUserId: owner.id,
        metadata: { plan: 'team' },
      });
      const id = created.org.id;
      expect(created).toEqual({
        org: {
          id,
          name: 'Acme GmbH',
          slug: name,
          metadata: { plan: 'team' },
          createdAt: now,
          updatedAt: now,
        },
        membership: { orgId: id, userId: owner.id, role: 'owner', createdAt: now },
      });
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      expect(await test.service.orgs.get(id)).toEqual(created.org);
      expect(await test.service.orgs.get(name)).toEqual(created.org);
      expect(await test.service.orgs.listMembers(id)).toEqual([created.membership]);
      expect(await test.heard()).toEqual([
        { name: 'org.created', payload: { orgId: id, userId: owner.id } },
        { name: 'org.member_added', payload: { orgId: id, userId: owner.id, role: 'owner' } },
      ]);
    });

    it.each([
      ['Märchen & Söhne AG', 'marchen-sohne-ag'],
      ['  Tab & Co.  ', 'tab-co'],
      ['ACME -- 2k', 'acme-2k'],
      ['日本', 'org'],
      ['0190f6a0-0000-7000-8000-000000000001', 'org'],
      [`${'long '.repeat(18)}name`, 'long-long-long-long-long-long-long-long-long-long-long'],
    ])('makes a slug out of the name %p', async (name, expected) => {
      const test = await makePro();
      const { id } = await verifiedUser(test);
      const { org } = await test.service.orgs.create({ name, ownerUserId: id });
      expect(org.slug.replace(/-\d{4,8}$/, '')).toBe(expected);
    });

    it('gives a slug that it made itself a number where it is taken', async () => {
      const test = await makePro();
      const { id } = await verifiedUser(test);
      const name = `Taken ${slug()}`;
      const made = [];
      for (let i = 0; i < 3; i += 1)
        made.push((await test.service.orgs.create({ name, ownerUserId: id })).org.slug);
      expect(new Set(made).size).toBe(3);
      for (const each of made.slice(1)) expect(each).toMatch(new RegExp(`^${made[0]}-\\d{4}$`));
    });

    it('with a slug that is taken is org_error and makes nothing', async () => {
      const { test, org, owner, orgs } = await acme();
      const other = await verifiedUser(test);
      await test.heard();
      expect(await outcomeOf(() => orgs.create({ name: 'B', slug: org.slug, ownerUserId: other.id }))).toBe(
        'org_error',
      );
      expect(await orgs.listForUser(other.id)).toEqual([]);
      expect((await orgs.listForUser(owner.id)).map(({ orgId }) => orgId)).toEqual([org.id]);
      expect(await test.heard()).toEqual([]);
    });

    it('50 times at once with one slug makes one', async () => {
      const test = await makePro();
      const { id } = await verifiedUser(test);
      const wanted = slug();
      const create = () => test.service.orgs.create({ name: 'Acme', slug: wanted, ownerUserId: id });
      expect(await race(50, create)).toEqual({ ok: 1, org_error: 49 });
      expect(await test.service.orgs.listForUser(id)).toHaveLength(1);
    });

    it('C-29 for a guest is not_authorized, for who is no user user_not_found', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      const create = (ownerUserId: unknown) =>
        outcomeOf(() =>
          test.service.orgs.create({ name: 'Acme', slug: slug(), ownerUserId: ownerUserId as string }),
        );
      expect(await create(user.id)).toBe('not_authorized');
      for (const id of oddIds) expect(await create(id)).toBe('user_not_found');
    });

    it.each([
      { name: '' },
      { name: '   ' },
      { name: undefined },
      { name: 7 },
      { name: ['Acme'] },
      { name: 'x'.repeat(101) },
      { name: 'two\nlines' },
      { slug: '' },
      { slug: 'Upper' },
      { slug: '-x' },
      { slug: 'x-' },
      { slug: 'x--y' },
      { slug: 'has space' },
      { slug: 'ünïcode' },
      { slug: 'x'.repeat(65) },
      { slug: nobody },
      { slug: 7 },
      { slug: null },
      { slug: '../etc' },
      { metadata: 'x' },
      { metadata: { constructor: 1 } },
    ])('with %j is invalid_request and makes nothing', async (input) => {
      const test = await makePro();
      const { id } = await verifiedUser(test);
      const create = () => test.service.orgs.create({ name: 'Acme', ownerUserId: id, ...input } as never);
      expect(await outcomeOf(create)).toBe('invalid_request');
      expect(await test.service.orgs.listForUser(id)).toEqual([]);
    });
  });

  describe('get, listForUser, listMembers, roleOf', () => {
    it('tell what there is', async () => {
      const { test, owner, org, orgs } = await acme();
      test.clock.advance(minute);
      const second = await orgs.create({ name: 'Second', slug: slug(), ownerUserId: owner.id });
      test.clock.advance(minute);
      const admin = await member(test, org.id, 'admin');
      expect((await orgs.listForUser(owner.id)).map(({ orgId, role }) => [orgId, role])).toEqual([
        [org.id, 'owner'],
        [second.org.id, 'owner'],
      ]);
      expect((await orgs.listMembers(org.id)).map(({ userId, role }) => [userId, role])).toEqual([
        [owner.id, 'owner'],
        [admin.id, 'admin'],
      ]);
      expect(await orgs.roleOf(org.id, admin.id)).toBe('admin');
      expect(await orgs.roleOf(second.org.id, admin.id)).toBeNull();
    });

    it('of what does not exist are null, org_error, user_not_found: never a failure of the service', async () => {
      const { orgs, org, owner } = await acme();
      for (const id of oddIds) {
        const text = id as string;
        expect(await outcomeOf(() => orgs.get(text))).toBe(typeof id === 'string' ? 'ok' : 'invalid_request');
        if (typeof id === 'string') expect(await orgs.get(id)).toBeNull();
        expect(await outcomeOf(() => orgs.listMembers(text))).toBe('org_error');
        expect(await outcomeOf(() => orgs.listForUser(text))).toBe('user_not_found');
        expect(await orgs.roleOf(text, owner.id)).toBeNull();
        expect(await orgs.roleOf(org.id, text)).toBeNull();
      }
      // Ids of the other kind.
      expect(await orgs.get(owner.id)).toBeNull();
      expect(await orgs.roleOf(owner.id, org.id)).toBeNull();
    });
  });

  describe('assertRole', () => {
    it('A-100 lets through who holds the role or a higher one', async () => {
      const { test, org, orgs } = await acme();
      const outcomes: Record<string, string> = {};
      for (const role of roles) {
        const user = await member(test, org.id, role);
        for (const min of roles)
          outcomes[`${role} as ${min}`] = await outcomeOf(() => orgs.assertRole(org.id, user.id, min));
      }
      expect(outcomes).toEqual({
        'member as member': 'ok',
        'member as admin': 'not_authorized',
        'member as owner': 'not_authorized',
        'admin as member': 'ok',
        'admin as admin': 'ok',
        'admin as owner': 'not_authorized',
        'owner as member': 'ok',
        'owner as admin': 'ok',
        'owner as owner': 'ok',
      });
    });

    it('A-100 is not_authorized for strangers, unknown ids and unknown organisations, org_error for no role', async () => {
      const { test, org, owner, orgs } = await acme();
      const stranger = await verifiedUser(test);
      const assert = (orgId: unknown, userId: unknown, min: unknown) =>
        outcomeOf(() => orgs.assertRole(orgId as string, userId as string, min as OrgRole));
      expect(await assert(org.id, stranger.id, 'member')).toBe('not_authorized');
      for (const id of oddIds) {
        expect(await assert(org.id, id, 'member')).toBe('not_authorized');
        expect(await assert(id, owner.id, 'member')).toBe('not_authorized');
      }
      for (const min of ['', 'Owner', 'root', 'toString', null, undefined, 2, ['member'], {}]) {
        expect(await assert(org.id, owner.id, min)).toBe('org_error');
      }
    });
  });

  describe('addMember, setRole and removeMember as the system', () => {
    it('add, change and remove, and tell of it', async () => {
      const { test, org, orgs } = await acme();
      const user = await verifiedUser(test);
      await test.heard();
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
      // The role that they hold already is no change, and none is told.
      expect(await orgs.setRole(org.id, user.id, 'admin')).toMatchObject({ role: 'admin' });
      expect(await orgs.removeMember(org.id, user.id)).toBeUndefined();
      expect(await orgs.roleOf(org.id, user.id)).toBeNull();
      expect(await test.heard()).toEqual([
        { name: 'org.member_added', payload: { ...about, role: 'member' } },
        { name: 'org.role_changed', payload: { ...about, role: 'owner' } },
        { name: 'org.role_changed', payload: { ...about, role: 'admin' } },
        { name: 'org.member_removed', payload: about },
      ]);
    });

    it('refuse what cannot be: org_error for a member already, for no member, no org, no role; user_not_found', async () => {
      const { test, org, owner, orgs } = await acme();
      const stranger = await verifiedUser(test);
      await test.heard();
      expect(await outcomeOf(() => orgs.addMember(org.id, owner.id, 'member'))).toBe('org_error');
      expect(await outcomeOf(() => orgs.setRole(org.id, stranger.id, 'admin'))).toBe('org_error');
      expect(await outcomeOf(() => orgs.removeMember(org.id, stranger.id))).toBe('org_error');
      for (const role of ['', 'Owner', 'root', '__proto__', null, undefined, 2, ['member']]) {
        expect(await outcomeOf(() => orgs.addMember(org.id, stranger.id, role as OrgRole))).toBe('org_error');
        expect(await outcomeOf(() => orgs.setRole(org.id, owner.id, role as OrgRole))).toBe('org_error');
      }
      for (const id of oddIds) {
        const text = id as string;
        expect(await outcomeOf(() => orgs.addMember(text, stranger.id, 'member'))).toBe('org_error');
        expect(await outcomeOf(() => orgs.setRole(text, owner.id, 'member'))).toBe('org_error');
        expect(await outcomeOf(() => orgs.removeMember(text, owner.id))).toBe('org_error');
        expect(await outcomeOf(() => orgs.addMember(org.id, text, 'member'))).toBe('user_not_found');
        expect(await outcomeOf(() => orgs.setRole(org.id, text, 'member'))).toBe('user_not_found');
        expect(await outcomeOf(() => orgs.removeMember(org.id, text))).toBe('user_not_found');
      }
      expect(await rolesIn(test, org.id)).toEqual(['owner']);
      expect(await test.heard()).toEqual([]);
    });

    it('C-29 let a guest be a member, and no more', async () => {
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

    it('of 50 times at once with one user add one membership', async () => {
      const { test, org, orgs } = await acme();
      const user = await verifiedUser(test);
      await test.heard();
      expect(await race(50, () => orgs.addMember(org.id, user.id, 'member'))).toEqual({
        ok: 1,
        org_error: 49,
      });
      expect(await race(50, () => orgs.removeMember(org.id, user.id))).toEqual({ ok: 1, org_error: 49 });
      expect(await test.heardNames()).toEqual(['org.member_added', 'org.member_removed']);
    });
  });

  describe('A-100 a change on behalf of somebody', () => {
    const actors = ['stranger', ...roles] as const;
    type Actor = (typeof actors)[number];

    /** An organisation with an actor and a target beside its owner. */
    async function scene(actor: Actor, current: OrgRole | null) {
      const { test, org, orgs } = await acme();
      const acting = actor === 'stranger' ? await verifiedUser(test) : await member(test, org.id, actor);
      const target = current === null ? await verifiedUser(test) : await member(test, org.id, current);
      return { test, orgId: org.id, orgs, target, acting: { actingUserId: acting.id } };
    }

    it('lets admins add members and admins, owners all, and nobody else anybody', async () => {
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

    it('lets nobody give a role above their own, nor change who is above them', async () => {
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
    }, 60_000);

    it('lets admins remove members and admins, owners all, and nobody else anybody but themselves', async () => {
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
    }, 60_000);

    it('lets everybody leave, and nobody raise themselves', async () => {
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

    it('of who is in another organisation is not_authorized', async () => {
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

    it('fails closed: an actor who is no user is not taken for the system', async () => {
      const { orgs, org, test } = await acme();
      const user = await member(test, org.id, 'member');
      const attempts = oddIds.flatMap((actingUserId) => {
        const acting = { actingUserId: actingUserId as string };
        return [
          () => orgs.setRole(org.id, user.id, 'owner', acting),
          () => orgs.removeMember(org.id, user.id, acting),
          () => orgs.addMember(org.id, nobody, 'owner', acting),
        ];
      });
      for (const call of attempts) {
        expect(['not_authorized', 'invalid_request', 'user_not_found']).toContain(await outcomeOf(call));
      }
      for (const acting of [null, {}, 'x', nobody, 7, [nobody]]) {
        const raise = () => orgs.setRole(org.id, user.id, 'owner', acting as never);
        expect(await outcomeOf(raise)).toBe('invalid_request');
      }
      expect(await orgs.roleOf(org.id, user.id)).toBe('member');
    });
  });

  describe('A-100 the last owner', () => {
    it('cannot be demoted, removed, leave, or delete the account, whoever asks', async () => {
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
      // To stay what one is, is no demotion.
      expect(await outcomeOf(() => orgs.setRole(org.id, owner.id, 'owner', self))).toBe('ok');
    });

    it('may go once there is another', async () => {
      const { test, org, owner, orgs } = await acme();
      const heir = await member(test, org.id, 'owner');
      expect(await outcomeOf(() => orgs.removeMember(org.id, owner.id, { actingUserId: owner.id }))).toBe(
        'ok',
      );
      expect(await outcomeOf(() => orgs.removeMember(org.id, heir.id))).toBe('org_error');
    });

    it('the deletion that it blocks says which organisation it is', async () => {
      const { test, org, owner } = await acme();
      const error = await errorOf(() => test.service.account.deleteUser(owner.id));
      expect(error.message).toContain(org.id);
    });

    it('of 50 owners who all go at once, one stays', async () => {
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
    }, 60_000);

    it('of two owners who remove each other at once, and of two who delete their accounts, one stays', async () => {
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
    }, 60_000);

    it('an owner who is demoted while the other deletes the account leaves one owner', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { test, org, owner, orgs } = await acme();
        const other = await member(test, org.id, 'owner');
        const tally = await race(2, (i) =>
          i === 0 ? orgs.setRole(org.id, owner.id, 'member') : test.service.account.deleteUser(other.id),
        );
        expect(tally).toEqual({ ok: 1, org_error: 1 });
        expect((await rolesIn(test, org.id)).filter((role) => role === 'owner')).toHaveLength(1);
      }
    }, 60_000);
  });

  describe('invite', () => {
    it('C-31 makes an invite for seven days, and gives the token once', async () => {
      const { test, org, owner, orgs } = await acme();
      const email = person();
      const issued = await orgs.invite({
        orgId: org.id,
        email: ` ${email.toUpperCase()} `,
        role: 'admin',
        invitedByUserId: owner.id,
      });
      const now = test.clock.now();
      expect(issued).toEqual({
        invite: {
          id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
          orgId: org.id,
          email,
          role: 'admin',
          invitedByUserId: owner.id,
          createdAt: new Date(now),
          expiresAt: new Date(now + 7 * day),
          acceptedAt: null,
        },
        token: expect.stringMatching(/^[\w-]+\.[\w-]{43}$/),
      });
      expect(await test.heard()).toEqual([
        { name: 'org.invited', payload: { orgId: org.id, inviteId: issued.invite.id } },
      ]);
      expect(test.mail.messages.filter(({ kind }) => kind === 'org_invite')).toEqual([]);
    });

    it('is for a member, by the system, unless told otherwise', async () => {
      const { org, orgs } = await acme();
      const { invite } = await orgs.invite({ orgId: org.id, email: person() });
      expect(invite).toMatchObject({ role: 'member', invitedByUserId: null });
    });

    it('with inviteUrl gives the link, and mails nothing without a sender', async () => {
      const { test, org, orgs } = await acme({ providers: { orgs: { inviteUrl } } });
      const { url, token } = await orgs.invite({ orgId: org.id, email: person() });
      expect(url).toBe(`https://app.test/join?from=mail&token=${token}#top`);
      expect(test.mail.messages.filter(({ kind }) => kind === 'org_invite')).toEqual([]);
    });

    it('with a sender and no inviteUrl mails nothing and gives no link', async () => {
      const sender = outbox();
      const { org, orgs } = await acme({ providers: { orgs: { sender } } });
      expect(await orgs.invite({ orgId: org.id, email: person() })).not.toHaveProperty('url');
      expect(sender.messages).toEqual([]);
    });

    it('with both is mailed to the canonical address, with the escaped name of the app', async () => {
      const sender = outbox();
      const { test, org, orgs } = await acme({
        appName: 'Ac<me> & Co',
        providers: { orgs: { sender, inviteUrl } },
      });
      const email = person();
      const { url, token } = await orgs.invite({ orgId: org.id, email: email.toUpperCase() });
      expect(sender.messages).toEqual([
        expect.objectContaining({
          to: email,
          kind: 'org_invite',
          subject: expect.stringContaining('Ac<me> & Co'),
        }),
      ]);
      const [{ html, text } = { html: '', text: '' }] = sender.messages;
      expect(sender.lastLink(email)).toBe(url);
      expect(html).toContain('Ac&#60;me&#62; &#38; Co');
      expect(html).not.toContain('<me>');
      expect(text).toContain('7 days');
      expect(JSON.stringify(test.log)).not.toContain(token);
      expect(await outcomeOf(() => orgs.acceptInvite(token, nobody))).toBe('user_not_found');
    });

    it('is mailed as the template says', async () => {
      const sender = outbox();
      const values: unknown[] = [];
      const template = (given: object) => {
        values.push(given);
        return { subject: 'Join us', html: '<p>x</p>', text: 'x' };
      };
      const { org, orgs } = await acme({ providers: { orgs: { sender, inviteUrl, template } } });
      const { url } = await orgs.invite({ orgId: org.id, email: person() });
      const system = { organization: org.name, role: 'member', inviter: null };
      expect(values).toEqual([{ url, expiresInMinutes: 7 * 24 * 60, appName: 'Acme', ...system }]);
      expect(sender.messages[0]).toMatchObject({ subject: 'Join us', html: '<p>x</p>', text: 'x' });
    });

    it('whose mail fails is email_send_failed: no invite is left, nothing is told or charged', async () => {
      let works = false;
      const sent = outbox();
      const send: typeof sent.send = (message) =>
        works ? sent.send(message) : Promise.reject(new Error('SMTP down'));
      const { test, org, orgs } = await acme({
        rateLimit: { maxPerWindow: 1 },
        providers: { orgs: { sender: { send }, inviteUrl } },
      });
      const email = person();
      const user = await verifiedUser(test, email);
      await test.heard();
      for (let i = 0; i < 3; i += 1) {
        expect(await outcomeOf(() => orgs.invite({ orgId: org.id, email }))).toBe('email_send_failed');
      }
      expect(await adapter().orgs!.listInvitesOf({ userId: nobody, email })).toEqual([]);
      expect(await test.heard()).toEqual([]);
      works = true;
      const { token } = await orgs.invite({ orgId: org.id, email });
      expect(await outcomeOf(() => orgs.acceptInvite(token, user.id))).toBe('ok');
    });

    it('whose mail fails leaves a pending one as it was, and what came meanwhile', async () => {
      const sent = outbox();
      let send = sent.send.bind(sent);
      const { test, org, orgs } = await acme({
        providers: { orgs: { sender: { send: (message) => send(message) }, inviteUrl } },
      });
      const user = await verifiedUser(test);
      const email = user.email!;
      const pending = await orgs.invite({ orgId: org.id, email, role: 'admin' });
      send = () => Promise.reject(new Error('SMTP down'));
      expect(await race(3, () => orgs.invite({ orgId: org.id, email }))).toEqual({ email_send_failed: 3 });
      const listed = () => adapter().orgs!.listInvitesOf({ userId: nobody, email });
      expect(await listed()).toEqual([pending.invite]);
      let fail = (_: Error) => {};
      const asked = new Promise<void>((resolve) => {
        send = () => {
          resolve();
          return new Promise((_, reject) => (fail = reject));
        };
      });
      const failing = outcomeOf(() => orgs.invite({ orgId: org.id, email }));
      await asked;
      send = sent.send.bind(sent);
      const next = await orgs.invite({ orgId: org.id, email });
      fail(new Error('SMTP down'));
      expect(await failing).toBe('email_send_failed');
      expect(await listed()).toEqual([next.invite]);
      expect(await outcomeOf(() => orgs.acceptInvite(pending.token, user.id))).toBe('token_invalid');
      expect((await orgs.acceptInvite(next.token, user.id)).role).toBe('member');
    });

    it('whose mail is slower than that of a newer one is org_error: the newer one stays', async () => {
      const sent = outbox();
      const slow: (() => void)[] = [];
      const send: typeof sent.send = async (message) => {
        if (slow.length === 0) await new Promise<void>((resolve) => slow.push(resolve));
        return sent.send(message);
      };
      const { test, org, orgs } = await acme({ providers: { orgs: { sender: { send }, inviteUrl } } });
      const email = person();
      const older = outcomeOf(() => orgs.invite({ orgId: org.id, email, role: 'owner' }));
      while (slow.length === 0) await new Promise((resolve) => setImmediate(resolve));
      test.clock.advance(1);
      const newer = await orgs.invite({ orgId: org.id, email });
      await test.heard();
      slow[0]?.();
      expect(await older).toBe('org_error');
      expect(await test.heard()).toEqual([]);
      expect(await adapter().orgs!.listInvitesOf({ userId: nobody, email })).toEqual([newer.invite]);
      const user = await verifiedUser(test, email);
      const dead = new URL(sent.lastLink(email)!).searchParams.get('token')!;
      expect(dead).not.toBe(newer.token);
      expect(await outcomeOf(() => orgs.acceptInvite(dead, user.id))).toBe('token_invalid');
      expect((await orgs.acceptInvite(newer.token, user.id)).role).toBe('member');
    });

    it('A-20 is limited like every mail, by address and mailbox', async () => {
      const sender = outbox();
      const { org, orgs } = await acme({
        rateLimit: { maxPerWindow: 3 },
        providers: { orgs: { sender, inviteUrl } },
      });
      const email = person();
      expect(await race(10, () => orgs.invite({ orgId: org.id, email }))).toEqual({
        ok: 3,
        rate_limit_exceeded: 7,
      });
      expect(sender.messages).toHaveLength(3);
      expect(await outcomeOf(() => orgs.invite({ orgId: org.id, email: person() }))).toBe('ok');
    });

    it('replaces a pending one for the same address: the old token is dead', async () => {
      const { test, org, orgs } = await acme();
      const user = await verifiedUser(test);
      const first = await orgs.invite({ orgId: org.id, email: user.email!, role: 'admin' });
      const second = await orgs.invite({ orgId: org.id, email: user.email!, role: 'member' });
      expect(await outcomeOf(() => orgs.acceptInvite(first.token, user.id))).toBe('token_invalid');
      expect((await orgs.acceptInvite(second.token, user.id)).role).toBe('member');
    });

    it('A-100 C-31 by a user needs admin or owner, and a role at or above the invited one', async () => {
      const allowed: string[] = [];
      const { test, org, orgs } = await acme();
      for (const actor of ['stranger', ...roles] as const) {
        const user = actor === 'stranger' ? await verifiedUser(test) : await member(test, org.id, actor);
        for (const role of roles) {
          const email = person();
          const invite = () => orgs.invite({ orgId: org.id, email, role, invitedByUserId: user.id });
          const outcome = await outcomeOf(invite);
          expect(outcome).toBe(outcome === 'ok' ? 'ok' : 'not_authorized');
          if (outcome === 'ok') allowed.push(`${actor} invites ${role}`);
          const pending = await adapter().orgs!.listInvitesOf({ userId: nobody, email });
          expect(pending).toHaveLength(outcome === 'ok' ? 1 : 0);
        }
      }
      expect(allowed).toEqual([
        'admin invites member',
        'admin invites admin',
        'owner invites member',
        'owner invites admin',
        'owner invites owner',
      ]);
    });

    it('with what cannot be is org_error, user_not_found or invalid_request, and leaves nothing', async () => {
      const calls: string[] = [];
      const { test, org, owner, orgs } = await acme({ adapter: noting(adapter(), calls) });
      const email = person();
      const invite = (input: object) => outcomeOf(() => orgs.invite({ orgId: org.id, email, ...input }));
      calls.length = 0;
      for (const id of oddIds) expect(await invite({ orgId: id })).toBe('org_error');
      for (const id of oddIds) {
        // What is undefined is not given: the system invites.
        if (id !== undefined) expect(await invite({ invitedByUserId: id })).toBe('user_not_found');
      }
      for (const role of ['', 'Owner', 'root', 7, ['admin'], {}])
        expect(await invite({ role })).toBe('org_error');
      for (const bad of [
        '',
        'ada',
        'ada@',
        'a@b,c@d.test',
        'ada@example.com\r\nBcc: eve@evil.test',
        null,
        7,
        undefined,
        ['a@b.test'],
      ])
        expect(await invite({ email: bad })).toBe('invalid_request');
      expect(await invite({ invitedByUserId: org.id })).toBe('user_not_found');
      expect(calls.filter((call) => call.includes('insertInvite'))).toEqual([]);
      expect(await test.heard()).toEqual([]);
      expect(await invite({ invitedByUserId: owner.id })).toBe('ok');
    });
  });

  describe('acceptInvite', () => {
    async function invited(role: OrgRole = 'member', input: object = {}) {
      const scene = await acme();
      const user = await verifiedUser(scene.test);
      const issued = await scene.orgs.invite({ orgId: scene.org.id, email: user.email!, role, ...input });
      await scene.test.heard();
      return { ...scene, user, ...issued };
    }
    const accept = ({ orgs }: { orgs: ProService['service']['orgs'] }, token: unknown, userId: unknown) =>
      outcomeOf(() => orgs.acceptInvite(token as string, userId as string));

    it.each(roles)('T12 makes the invited user a member as %s, once', async (role) => {
      const { test, orgs, org, user, token } = await invited(role);
      test.clock.advance(minute);
      expect(await orgs.acceptInvite(token, user.id)).toEqual({
        orgId: org.id,
        userId: user.id,
        role,
        createdAt: new Date(test.clock.now()),
      });
      expect(await orgs.roleOf(org.id, user.id)).toBe(role);
      expect(await test.heard()).toEqual([
        { name: 'org.member_added', payload: { orgId: org.id, userId: user.id, role } },
      ]);
      expect(await accept({ orgs }, token, user.id)).toBe('token_invalid');
    });

    it('T12 by a wrong user is not_authorized and does not use it up', async () => {
      const { test, orgs, org, user, owner, token } = await invited();
      const thief = await verifiedUser(test);
      const { user: guest } = await test.service.sessionsProvider.createGuest();
      for (const id of [thief.id, owner.id, guest.id])
        expect(await accept({ orgs }, token, id)).toBe('not_authorized');
      expect(await orgs.roleOf(org.id, thief.id)).toBeNull();
      expect(await accept({ orgs }, token, user.id)).toBe('ok');
      expect(await accept({ orgs }, token, thief.id)).toBe('token_invalid');
    });

    it('T12 by a user with the right address, unverified, is not_authorized and does not use it up', async () => {
      const { test, orgs, org } = await acme();
      const email = person();
      const squatter = await unverifiedUser(test, email);
      const { token } = await orgs.invite({ orgId: org.id, email, role: 'admin' });
      expect(await accept({ orgs }, token, squatter.id)).toBe('not_authorized');
      expect(await orgs.roleOf(org.id, squatter.id)).toBeNull();
      const owner = await verifiedUser(test, email);
      expect(owner.id).toBe(squatter.id);
      expect(await accept({ orgs }, token, owner.id)).toBe('ok');
    });

    it('T12 binds to the whole address: tags and dots make another', async () => {
      const { test, orgs, org } = await acme();
      const name = person().split('@')[0]!;
      const { token } = await orgs.invite({ orgId: org.id, email: `${name}@example.com` });
      for (const other of [`${name}+x@example.com`, `${name}@example.org`, `x${name}@example.com`]) {
        expect(await accept({ orgs }, token, (await verifiedUser(test, other)).id)).toBe('not_authorized');
      }
    });

    it('ends after seven days, to the millisecond', async () => {
      const { test, orgs, user, token } = await invited();
      test.clock.advance(7 * day);
      expect(await accept({ orgs }, token, user.id)).toBe('token_invalid');
      test.clock.advance(-1);
      expect(await accept({ orgs }, token, user.id)).toBe('ok');
    });

    it('C-31 is token_invalid where the inviter lost the role, left, or is gone', async () => {
      const losses: ((scene: Awaited<ReturnType<typeof acme>>, inviterId: string) => Promise<unknown>)[] = [
        ({ orgs, org }, id) => orgs.setRole(org.id, id, 'member'),
        ({ orgs, org }, id) => orgs.removeMember(org.id, id),
        ({ test }, id) => test.service.account.deleteUser(id),
      ];
      for (const lose of losses) {
        const scene = await acme();
        const inviter = await member(scene.test, scene.org.id, 'admin');
        const user = await verifiedUser(scene.test);
        const input = { orgId: scene.org.id, email: user.email!, invitedByUserId: inviter.id };
        const { token } = await scene.orgs.invite({ ...input, role: 'admin' });
        await lose(scene, inviter.id);
        expect(await accept(scene, token, user.id)).toBe('token_invalid');
        expect(await scene.orgs.roleOf(scene.org.id, user.id)).toBeNull();
      }
    });

    it('C-31 is token_invalid where the inviter fell below the invited role, and holds where they did not', async () => {
      const scene = await acme();
      const { orgs, org, test } = scene;
      const inviter = await member(test, org.id, 'owner');
      const [asOwner, asAdmin] = [await verifiedUser(test), await verifiedUser(test)];
      const invite = async (email: string, role: OrgRole) =>
        (await orgs.invite({ orgId: org.id, email, role, invitedByUserId: inviter.id })).token;
      const tokens = [await invite(asOwner.email!, 'owner'), await invite(asAdmin.email!, 'admin')];
      await orgs.setRole(org.id, inviter.id, 'admin');
      expect(await accept(scene, tokens[0], asOwner.id)).toBe('token_invalid');
      expect(await accept(scene, tokens[1], asAdmin.id)).toBe('ok');
    });

    it('C-31 dies with the organisation, also where its slug is used again', async () => {
      const { test, orgs, org, user, owner, token } = await invited();
      await orgs.delete(org.id);
      await orgs.create({ name: 'Acme', slug: org.slug, ownerUserId: owner.id });
      expect(await accept({ orgs }, token, user.id)).toBe('token_invalid');
      expect(await test.service.orgs.listForUser(user.id)).toEqual([]);
    });

    it('raises who is a member already, and lowers nobody', async () => {
      const { test, orgs, org } = await acme();
      const user = await member(test, org.id, 'admin');
      const lower = await orgs.invite({ orgId: org.id, email: user.email!, role: 'member' });
      await test.heard();
      expect((await orgs.acceptInvite(lower.token, user.id)).role).toBe('admin');
      expect(await test.heard()).toEqual([]);
      const higher = await orgs.invite({ orgId: org.id, email: user.email!, role: 'owner' });
      await test.heard();
      expect((await orgs.acceptInvite(higher.token, user.id)).role).toBe('owner');
      expect(await test.heard()).toEqual([
        { name: 'org.role_changed', payload: { orgId: org.id, userId: user.id, role: 'owner' } },
      ]);
      expect(await orgs.listMembers(org.id)).toHaveLength(2);
    });

    it('50 times at once, by the right user and by wrong ones, happens once', async () => {
      const { test, orgs, org, user, token } = await invited();
      const thief = await verifiedUser(test);
      await test.heard();
      const tally = await race(50, (i) => orgs.acceptInvite(token, i % 2 === 0 ? user.id : thief.id));
      expect(tally['ok']).toBe(1);
      expect(
        Object.keys(tally).filter((key) => !['ok', 'token_invalid', 'not_authorized'].includes(key)),
      ).toEqual([]);
      expect(await orgs.listMembers(org.id)).toHaveLength(2);
      expect(await orgs.roleOf(org.id, thief.id)).toBeNull();
      expect(await test.heardNames()).toEqual(['org.member_added']);
    });

    it('A-27 A-64 takes no token of another kind, nor a changed one', async () => {
      const { test, orgs, user, token } = await invited();
      const { service } = test;
      const { url } = await service.magicLink.sendLink({ email: user.email! });
      await service.emailPassword.requestReset({ email: user.email! });
      await service.close();
      const [body = '', signature = ''] = token.split('.');
      const tokens = [
        ...oddIds,
        new URL(url).searchParams.get('token'),
        new URL(test.mail.lastLink(user.email!)!).searchParams.get('token'),
        (await service.sessionsProvider.create({ userId: user.id })).token,
        (await service.refresh.issue({ userId: user.id })).refreshToken,
        (await service.apiKeys.create({ userId: user.id, name: 'x' })).key,
        `${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
        `${body}A.${signature}`,
        `${token}=`,
        `${token} `,
        body,
      ];
      for (const each of tokens) expect(await accept({ orgs }, each, user.id)).toBe('token_invalid');
      // And is none itself anywhere else.
      expect(await outcomeOf(() => service.magicLink.verify(token))).toBe('token_invalid');
      expect(
        await outcomeOf(() => service.emailPassword.setPassword({ token, newPassword: 'good enough' })),
      ).toBe('token_invalid');
      expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
      expect(await accept({ orgs }, token, user.id)).toBe('ok');
    });

    it('A-30 checks the signature before it asks the storage', async () => {
      const calls: string[] = [];
      const { orgs, owner } = await acme({ adapter: noting(adapter(), calls) });
      calls.length = 0;
      expect(await accept({ orgs }, 'eA.eA', owner.id)).toBe('token_invalid');
      expect(calls).toEqual([]);
    });

    it('of who is no user is user_not_found and does not use it up', async () => {
      const { orgs, user, token } = await invited();
      for (const id of oddIds) expect(await accept({ orgs }, token, id)).toBe('user_not_found');
      expect(await accept({ orgs }, token, user.id)).toBe('ok');
    });

    it('A-69 takes the invites of a previous secret', async () => {
      const { test, user, token } = await invited();
      const next = 'the next secret, 32 bytes or more, and another';
      const without = await makePro({ clock: test.clock, session: { secret: next } });
      expect(await accept(without.service, token, user.id)).toBe('token_invalid');
      const rotated = await makePro({
        clock: test.clock,
        session: { secret: next, previousSecrets: [testSecret] },
      });
      expect(await accept(rotated.service, token, user.id)).toBe('ok');
    });
  });

  describe('delete', () => {
    it('takes memberships, invites and keys along, and frees the slug', async () => {
      const { test, owner, org, orgs } = await acme();
      const admin = await member(test, org.id, 'admin');
      const { key } = await test.service.apiKeys.create({ orgId: org.id, name: 'x' });
      const own = await test.service.apiKeys.create({ userId: owner.id, name: 'own' });
      const email = person();
      await orgs.invite({ orgId: org.id, email });
      await test.heard();
      expect(await orgs.delete(org.id)).toBeUndefined();
      expect(await test.heard()).toEqual([{ name: 'org.deleted', payload: { orgId: org.id } }]);
      expect([await orgs.get(org.id), await orgs.get(org.slug)]).toEqual([null, null]);
      expect([await orgs.listForUser(owner.id), await orgs.listForUser(admin.id)]).toEqual([[], []]);
      expect(await orgs.roleOf(org.id, owner.id)).toBeNull();
      expect(await adapter().orgs!.listInvitesOf({ userId: nobody, email })).toEqual([]);
      expect(await outcomeOf(() => test.service.apiKeys.verify(key))).toBe('api_key_invalid');
      expect(await outcomeOf(() => test.service.apiKeys.verify(own.key))).toBe('ok');
      const again = await orgs.create({ name: 'New', slug: org.slug, ownerUserId: admin.id });
      expect(again.org.id).not.toBe(org.id);
      expect(await orgs.listMembers(again.org.id)).toHaveLength(1);
    });

    it('of none is org_error', async () => {
      const { orgs, org, owner } = await acme();
      for (const id of [...oddIds, owner.id, org.slug]) {
        expect(await outcomeOf(() => orgs.delete(id as string))).toBe('org_error');
      }
      expect(await orgs.get(org.id)).not.toBeNull();
    });

    it('50 times at once happens once, while members come and invites are accepted', async () => {
      const { test, orgs, org } = await acme();
      const user = await verifiedUser(test);
      const { token } = await orgs.invite({ orgId: org.id, email: user.email! });
      const other = await verifiedUser(test);
      await test.heard();
      const deleted = race(50, () => orgs.delete(org.id));
      const late = await Promise.all([
        outcomeOf(() => orgs.acceptInvite(token, user.id)),
        outcomeOf(() => orgs.addMember(org.id, other.id, 'member')),
        outcomeOf(() => test.service.apiKeys.create({ orgId: org.id, name: 'late' })),
      ]);
      expect(await deleted).toEqual({ ok: 1, org_error: 49 });
      for (const outcome of late) expect(['ok', 'token_invalid', 'org_error']).toContain(outcome);
      expect([await orgs.listForUser(user.id), await orgs.listForUser(other.id)]).toEqual([[], []]);
      expect((await test.heardNames()).filter((name) => name === 'org.deleted')).toHaveLength(1);
    });
  });

  it('purgeExpired removes invites a day after their end', async () => {
    const { test, org, orgs } = await acme();
    const email = person();
    await orgs.invite({ orgId: org.id, email });
    const pending = () => adapter().orgs!.listInvitesOf({ userId: nobody, email });
    test.clock.advance(8 * day - 1);
    await test.service.purgeExpired();
    expect(await pending()).toHaveLength(1);
    test.clock.advance(1);
    await test.service.purgeExpired();
    expect(await pending()).toEqual([]);
  });

  if (!sql) return;
  it('A-28 C-18 keep an invite as a digest of 256 random bits, and no part of its token', async () => {
    const { org, orgs } = await acme();
    const { invite, token } = await orgs.invite({ orgId: org.id, email: person() });
    const [row] = await sql(`select * from svc_org_invites where id = '${invite.id}'`);
    const [body = '', signature = ''] = token.split('.');
    const random = Buffer.from(body, 'base64url').subarray(-32);
    expect(row).toMatchObject({ digest: createHash('sha256').update(random).digest('base64url') });
    for (const part of [body, signature, random.toString('base64url'), random.toString('hex')]) {
      expect(JSON.stringify(row)).not.toContain(part);
    }
  });
});
