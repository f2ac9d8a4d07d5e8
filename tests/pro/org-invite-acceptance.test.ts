// Acceptance of invites to organizations (specification 4.3 `orgs`; docs/security-requirements.md
// T12, A-100, C-31).
import { createHash } from 'node:crypto';
import type { OrgRole } from 'svc-auth';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { testSecret } from '../support/make-service.js';
import { day, minute, invalidIds, type ProService } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';
import { orgMembers, roles } from './org-members.js';

describeAdapters('Acceptance of invites', (on) => {
  const { uniqueEmail, adapter, sql } = on;
  const { makePro, verifiedUser, unverifiedUser, acme, member } = orgMembers(on);

  describe('acceptInvite', () => {
    async function invited(role: OrgRole = 'member', input: object = {}) {
      const scene = await acme();
      const user = await verifiedUser(scene.test);
      const issued = await scene.orgs.invite({ orgId: scene.org.id, email: user.email!, role, ...input });
      await scene.test.takeEvents();
      return { ...scene, user, ...issued };
    }
    const accept = ({ orgs }: { orgs: ProService['service']['orgs'] }, token: unknown, userId: unknown) =>
      outcomeOf(() => orgs.acceptInvite(token as string, userId as string));

    // T12
    it.each(roles)('adds the invited user as %s, once', async (role) => {
      const { test, orgs, org, user, token } = await invited(role);
      test.clock.advance(minute);
      expect(await orgs.acceptInvite(token, user.id)).toEqual({
        orgId: org.id,
        userId: user.id,
        role,
        createdAt: new Date(test.clock.now()),
      });
      expect(await orgs.roleOf(org.id, user.id)).toBe(role);
      expect(await test.takeEvents()).toEqual([
        { name: 'org.member_added', payload: { orgId: org.id, userId: user.id, role } },
      ]);
      expect(await accept({ orgs }, token, user.id)).toBe('token_invalid');
    });

    // T12
    it('rejects another user with not_authorized and keeps the invite', async () => {
      const { test, orgs, org, user, owner, token } = await invited();
      const thief = await verifiedUser(test);
      const { user: guest } = await test.service.sessionsProvider.createGuest();
      for (const id of [thief.id, owner.id, guest.id])
        expect(await accept({ orgs }, token, id)).toBe('not_authorized');
      expect(await orgs.roleOf(org.id, thief.id)).toBeNull();
      expect(await accept({ orgs }, token, user.id)).toBe('ok');
      expect(await accept({ orgs }, token, thief.id)).toBe('token_invalid');
    });

    // T12
    it('rejects a user with the invited address unverified with not_authorized and keeps the invite', async () => {
      const { test, orgs, org } = await acme();
      const email = uniqueEmail();
      const squatter = await unverifiedUser(test, email);
      const { token } = await orgs.invite({ orgId: org.id, email, role: 'admin' });
      expect(await accept({ orgs }, token, squatter.id)).toBe('not_authorized');
      expect(await orgs.roleOf(org.id, squatter.id)).toBeNull();
      const owner = await verifiedUser(test, email);
      expect(owner.id).toBe(squatter.id);
      expect(await accept({ orgs }, token, owner.id)).toBe('ok');
    });

    // T12
    it('compares the whole address, with its tag and domain', async () => {
      const { test, orgs, org } = await acme();
      const name = uniqueEmail().split('@')[0]!;
      const { token } = await orgs.invite({ orgId: org.id, email: `${name}@example.com` });
      for (const other of [`${name}+x@example.com`, `${name}@example.org`, `x${name}@example.com`]) {
        expect(await accept({ orgs }, token, (await verifiedUser(test, other)).id)).toBe('not_authorized');
      }
    });

    it('rejects an invite after seven days, to the millisecond', async () => {
      const { test, orgs, user, token } = await invited();
      test.clock.advance(7 * day);
      expect(await accept({ orgs }, token, user.id)).toBe('token_invalid');
      test.clock.advance(-1);
      expect(await accept({ orgs }, token, user.id)).toBe('ok');
    });

    // C-31
    it('rejects an invite with token_invalid if the inviter lost the role, left or was deleted', async () => {
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

    // C-31
    it('rejects an invite to a role that the inviter has no more, and accepts one to a lower role', async () => {
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

    // C-31
    it('rejects an invite of a deleted organization, also if its slug is used again', async () => {
      const { test, orgs, org, user, owner, token } = await invited();
      await orgs.delete(org.id);
      await orgs.create({ name: 'Acme', slug: org.slug, ownerUserId: owner.id });
      expect(await accept({ orgs }, token, user.id)).toBe('token_invalid');
      expect(await test.service.orgs.listForUser(user.id)).toEqual([]);
    });

    it('raises the role of a member, and never lowers it', async () => {
      const { test, orgs, org } = await acme();
      const user = await member(test, org.id, 'admin');
      const lower = await orgs.invite({ orgId: org.id, email: user.email!, role: 'member' });
      await test.takeEvents();
      expect((await orgs.acceptInvite(lower.token, user.id)).role).toBe('admin');
      expect(await test.takeEvents()).toEqual([]);
      const higher = await orgs.invite({ orgId: org.id, email: user.email!, role: 'owner' });
      await test.takeEvents();
      expect((await orgs.acceptInvite(higher.token, user.id)).role).toBe('owner');
      expect(await test.takeEvents()).toEqual([
        { name: 'org.role_changed', payload: { orgId: org.id, userId: user.id, role: 'owner' } },
      ]);
      expect(await orgs.listMembers(org.id)).toHaveLength(2);
    });

    it('accepts an invite once in 50 concurrent calls by the invited user and another', async () => {
      const { test, orgs, org, user, token } = await invited();
      const thief = await verifiedUser(test);
      await test.takeEvents();
      const tally = await race(50, (i) => orgs.acceptInvite(token, i % 2 === 0 ? user.id : thief.id));
      expect(tally['ok']).toBe(1);
      expect(
        Object.keys(tally).filter((key) => !['ok', 'token_invalid', 'not_authorized'].includes(key)),
      ).toEqual([]);
      expect(await orgs.listMembers(org.id)).toHaveLength(2);
      expect(await orgs.roleOf(org.id, thief.id)).toBeNull();
      expect(await test.takeEventNames()).toEqual(['org.member_added']);
    });

    it('accepts or declines an invite, and never both, in 50 concurrent calls', async () => {
      for (const first of [0, 1, 0, 1]) {
        const { test, orgs, org, user, token } = await invited();
        const tally = await race(50, (i) =>
          i % 2 === first ? orgs.acceptInvite(token, user.id) : orgs.declineInvite(token, user.id),
        );
        expect(tally).toEqual({ ok: 1, token_invalid: 49 });
        const isMember = (await orgs.roleOf(org.id, user.id)) !== null;
        expect(await test.takeEventNames()).toEqual([isMember ? 'org.member_added' : 'org.invite_declined']);
        expect(await orgs.listInvites(org.id)).toEqual([]);
      }
    });

    it('leaves one valid invite if the invited user declines the one that is replaced at the same time', async () => {
      for (const isDeclinedFirst of [true, false, true, false]) {
        const { test, orgs, org, user, token } = await invited();
        let renewed = '';
        const calls = [
          async () => orgs.declineInvite(token, user.id),
          async () => void (renewed = (await orgs.invite({ orgId: org.id, email: user.email! })).token),
        ];
        const outcomes = await Promise.all((isDeclinedFirst ? calls : calls.reverse()).map(outcomeOf));
        const [decline, renewal] = isDeclinedFirst ? outcomes : outcomes.reverse();
        expect(renewal).toBe('ok');
        const declined = (await test.takeEventNames()).filter((name) => name === 'org.invite_declined');
        expect([decline, declined.length]).toEqual(decline === 'ok' ? ['ok', 1] : ['token_invalid', 0]);
        expect(await orgs.listInvites(org.id)).toHaveLength(1);
        expect(await accept({ orgs }, token, user.id)).toBe('token_invalid');
        expect(await accept({ orgs }, renewed, user.id)).toBe('ok');
      }
    });

    //
    it('rejects tokens of another kind and changed ones with token_invalid', async () => {
      const { test, orgs, user, token } = await invited();
      const { service } = test;
      const { url } = await service.magicLink.sendLink({ email: user.email! });
      await service.emailPassword.requestReset({ email: user.email! });
      await service.close();
      const [body = '', signature = ''] = token.split('.');
      const tokens = [
        ...invalidIds,
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
      // An invite token authenticates nothing else.
      expect(await outcomeOf(() => service.magicLink.verify(token))).toBe('token_invalid');
      expect(
        await outcomeOf(() => service.emailPassword.setPassword({ token, newPassword: 'good enough' })),
      ).toBe('token_invalid');
      expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
      expect(await accept({ orgs }, token, user.id)).toBe('ok');
    });

    //
    it('verifies the signature before it queries the storage', async () => {
      const calls: string[] = [];
      const { orgs, owner } = await acme({ adapter: recordCalls(adapter(), calls) });
      calls.length = 0;
      expect(await accept({ orgs }, 'eA.eA', owner.id)).toBe('token_invalid');
      expect(calls).toEqual([]);
    });

    it('rejects an unknown user with user_not_found and keeps the invite', async () => {
      const { orgs, user, token } = await invited();
      for (const id of invalidIds) expect(await accept({ orgs }, token, id)).toBe('user_not_found');
      expect(await accept({ orgs }, token, user.id)).toBe('ok');
    });

    //
    it('accepts invites of a previous secret', async () => {
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

  if (!sql) return;
  // A-28, C-18
  it('stores an invite as a digest of 256 random bits, and no part of its token', async () => {
    const { org, orgs } = await acme();
    const { invite, token } = await orgs.invite({ orgId: org.id, email: uniqueEmail() });
    const [row] = await sql(`select * from svc_org_invites where id = '${invite.id}'`);
    const [body = '', signature = ''] = token.split('.');
    const random = Buffer.from(body, 'base64url').subarray(-32);
    expect(row).toMatchObject({ digest: createHash('sha256').update(random).digest('base64url') });
    for (const part of [body, signature, random.toString('base64url'), random.toString('hex')]) {
      expect(JSON.stringify(row)).not.toContain(part);
    }
  });
});
