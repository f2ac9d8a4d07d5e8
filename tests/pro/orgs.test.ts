// Organizations: creation, queries and deletion (specification 4.3 `orgs`;
// docs/security-requirements.md A-100, C-29).
import type { OrgRole } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, unknownId, invalidIds } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';
import { orgMembers, roles } from './org-members.js';

describeAdapters('Organizations', (on) => {
  const { uniqueEmail, adapter } = on;
  const { makePro, verifiedUser, slug, acme, member } = orgMembers(on);

  describe('create', () => {
    it('creates an organization whose creator is its owner', async () => {
      const test = await makePro();
      const owner = await verifiedUser(test);
      await test.takeEvents();
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
      expect(await test.takeEvents()).toEqual([
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
    ])('derives a slug from the name %p', async (name, expected) => {
      const test = await makePro();
      const { id } = await verifiedUser(test);
      const { org } = await test.service.orgs.create({ name, ownerUserId: id });
      expect(org.slug.replace(/-\d{4,8}$/, '')).toBe(expected);
    });

    it('appends a number to a derived slug that is taken', async () => {
      const test = await makePro();
      const { id } = await verifiedUser(test);
      const name = `Taken ${slug()}`;
      const orgSlugs = [];
      for (let i = 0; i < 3; i += 1)
        orgSlugs.push((await test.service.orgs.create({ name, ownerUserId: id })).org.slug);
      expect(new Set(orgSlugs).size).toBe(3);
      for (const each of orgSlugs.slice(1)) expect(each).toMatch(new RegExp(`^${orgSlugs[0]}-\\d{4}$`));
    });

    it('rejects a slug that is taken with org_error and creates nothing', async () => {
      const { test, org, owner, orgs } = await acme();
      const other = await verifiedUser(test);
      await test.takeEvents();
      expect(await outcomeOf(() => orgs.create({ name: 'B', slug: org.slug, ownerUserId: other.id }))).toBe(
        'org_error',
      );
      expect(await orgs.listForUser(other.id)).toEqual([]);
      expect((await orgs.listForUser(owner.id)).map(({ orgId }) => orgId)).toEqual([org.id]);
      expect(await test.takeEvents()).toEqual([]);
    });

    it('creates one organization for 50 concurrent calls with the same slug', async () => {
      const test = await makePro();
      const { id } = await verifiedUser(test);
      const wantedSlug = slug();
      const create = () => test.service.orgs.create({ name: 'Acme', slug: wantedSlug, ownerUserId: id });
      expect(await race(50, create)).toEqual({ ok: 1, org_error: 49 });
      expect(await test.service.orgs.listForUser(id)).toHaveLength(1);
    });

    // C-29
    it('rejects a guest as the owner with not_authorized, and an unknown user with user_not_found', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      const create = (ownerUserId: unknown) =>
        outcomeOf(() =>
          test.service.orgs.create({ name: 'Acme', slug: slug(), ownerUserId: ownerUserId as string }),
        );
      expect(await create(user.id)).toBe('not_authorized');
      for (const id of invalidIds) expect(await create(id)).toBe('user_not_found');
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
      { slug: unknownId },
      { slug: 7 },
      { slug: null },
      { slug: '../etc' },
      { metadata: 'x' },
      { metadata: { constructor: 1 } },
    ])('rejects an organization with %j with invalid_request and creates nothing', async (input) => {
      const test = await makePro();
      const { id } = await verifiedUser(test);
      const create = () => test.service.orgs.create({ name: 'Acme', ownerUserId: id, ...input } as never);
      expect(await outcomeOf(create)).toBe('invalid_request');
      expect(await test.service.orgs.listForUser(id)).toEqual([]);
    });
  });

  describe('get, listForUser, listMembers, roleOf', () => {
    it('returns organizations, memberships and roles', async () => {
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

    it('returns null, org_error or user_not_found for unknown and malformed ids', async () => {
      const { orgs, org, owner } = await acme();
      for (const id of invalidIds) {
        const text = id as string;
        expect(await outcomeOf(() => orgs.get(text))).toBe(typeof id === 'string' ? 'ok' : 'invalid_request');
        if (typeof id === 'string') expect(await orgs.get(id)).toBeNull();
        expect(await outcomeOf(() => orgs.listMembers(text))).toBe('org_error');
        expect(await outcomeOf(() => orgs.listForUser(text))).toBe('user_not_found');
        expect(await orgs.roleOf(text, owner.id)).toBeNull();
        expect(await orgs.roleOf(org.id, text)).toBeNull();
      }
      // Ids of the other kind: a user id for an organization, and the reverse.
      expect(await orgs.get(owner.id)).toBeNull();
      expect(await orgs.roleOf(owner.id, org.id)).toBeNull();
    });
  });

  describe('assertRole', () => {
    //
    it('accepts a member with the required role or a higher one', async () => {
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

    //
    it('rejects strangers and unknown ids with not_authorized, and unknown roles with org_error', async () => {
      const { test, org, owner, orgs } = await acme();
      const stranger = await verifiedUser(test);
      const assert = (orgId: unknown, userId: unknown, min: unknown) =>
        outcomeOf(() => orgs.assertRole(orgId as string, userId as string, min as OrgRole));
      expect(await assert(org.id, stranger.id, 'member')).toBe('not_authorized');
      for (const id of invalidIds) {
        expect(await assert(org.id, id, 'member')).toBe('not_authorized');
        expect(await assert(id, owner.id, 'member')).toBe('not_authorized');
      }
      for (const min of ['', 'Owner', 'root', 'toString', null, undefined, 2, ['member'], {}]) {
        expect(await assert(org.id, owner.id, min)).toBe('org_error');
      }
    });
  });

  describe('delete', () => {
    it('deletes memberships, invites and API keys with the organization, and frees its slug', async () => {
      const { test, owner, org, orgs } = await acme();
      const admin = await member(test, org.id, 'admin');
      const { key } = await test.service.apiKeys.create({ orgId: org.id, name: 'x' });
      const own = await test.service.apiKeys.create({ userId: owner.id, name: 'own' });
      const email = uniqueEmail();
      await orgs.invite({ orgId: org.id, email });
      await test.takeEvents();
      expect(await orgs.delete(org.id)).toBeUndefined();
      expect(await test.takeEvents()).toEqual([{ name: 'org.deleted', payload: { orgId: org.id } }]);
      expect([await orgs.get(org.id), await orgs.get(org.slug)]).toEqual([null, null]);
      expect([await orgs.listForUser(owner.id), await orgs.listForUser(admin.id)]).toEqual([[], []]);
      expect(await orgs.roleOf(org.id, owner.id)).toBeNull();
      expect(await adapter().orgs!.listInvitesOf({ userId: unknownId, email })).toEqual([]);
      expect(await outcomeOf(() => test.service.apiKeys.verify(key))).toBe('api_key_invalid');
      expect(await outcomeOf(() => test.service.apiKeys.verify(own.key))).toBe('ok');
      const again = await orgs.create({ name: 'New', slug: org.slug, ownerUserId: admin.id });
      expect(again.org.id).not.toBe(org.id);
      expect(await orgs.listMembers(again.org.id)).toHaveLength(1);
    });

    it('rejects an unknown organization with org_error', async () => {
      const { orgs, org, owner } = await acme();
      for (const id of [...invalidIds, owner.id, org.slug]) {
        expect(await outcomeOf(() => orgs.delete(id as string))).toBe('org_error');
      }
      expect(await orgs.get(org.id)).not.toBeNull();
    });

    it('deletes an organization once in 50 concurrent calls, while members join and accept invites', async () => {
      const { test, orgs, org } = await acme();
      const user = await verifiedUser(test);
      const { token } = await orgs.invite({ orgId: org.id, email: user.email! });
      const other = await verifiedUser(test);
      await test.takeEvents();
      const deleted = race(50, () => orgs.delete(org.id));
      const late = await Promise.all([
        outcomeOf(() => orgs.acceptInvite(token, user.id)),
        outcomeOf(() => orgs.addMember(org.id, other.id, 'member')),
        outcomeOf(() => test.service.apiKeys.create({ orgId: org.id, name: 'late' })),
      ]);
      expect(await deleted).toEqual({ ok: 1, org_error: 49 });
      for (const outcome of late) expect(['ok', 'token_invalid', 'org_error']).toContain(outcome);
      expect([await orgs.listForUser(user.id), await orgs.listForUser(other.id)]).toEqual([[], []]);
      expect((await test.takeEventNames()).filter((name) => name === 'org.deleted')).toHaveLength(1);
    });
  });
});
