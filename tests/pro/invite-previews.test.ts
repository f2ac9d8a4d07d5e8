// The mail of an invite, its preview by token, and the cases in which the token reveals nothing.
import type { OrgRole } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { day, invalidIds, proFixtures } from '../support/make-pro-service.js';
import { runInSequence, outcomeOf, tallyOf } from '../support/outcomes.js';

describeAdapters('Invites', ({ make, uniqueEmail }) => {
  const { makePro, verifiedUser, userWithoutAddress } = proFixtures({ make, uniqueEmail });

  async function scene(overrides: Parameters<typeof makePro>[0] = {}) {
    const test = await makePro(overrides);
    const owner = await verifiedUser(test, `owner-${uniqueEmail()}`);
    const { org } = await test.service.orgs.create({ name: 'Acme & <Sons>', ownerUserId: owner.id });
    const invite = (role: OrgRole = 'member', invitedByUserId: string | undefined = owner.id) =>
      test.service.orgs.invite({ orgId: org.id, email: `bob-${uniqueEmail()}`, role, invitedByUserId });
    return { test, orgs: test.service.orgs, owner, org, invite };
  }

  it('passes organization, role and inviter to the template', async () => {
    const values: unknown[] = [];
    const template = (given: object) => {
      values.push(given);
      return { subject: 'x', html: 'x', text: 'x' };
    };
    const testScene = await scene({
      providers: { orgs: { sender: outbox(), inviteUrl: 'https://app.test/j', template } },
    });
    const { orgs, owner, org, invite, test } = testScene;
    const { url } = await invite('admin');
    const userWithoutEmail = await userWithoutAddress(test);
    await orgs.addMember(org.id, userWithoutEmail.id, 'owner');
    await invite('member', userWithoutEmail.id);
    await orgs.invite({ orgId: org.id, email: uniqueEmail() });
    expect(values).toMatchObject([
      {
        url,
        expiresInMinutes: 7 * 24 * 60,
        appName: 'Acme',
        organization: org.name,
        role: 'admin',
        inviter: owner.email,
      },
      { organization: org.name, role: 'member', inviter: null },
      { organization: org.name, role: 'member', inviter: null },
    ]);
  });

  it('shows no name and no address in the default mail, which goes to a stranger', async () => {
    const sender = outbox();
    const { owner, invite } = await scene({
      providers: { orgs: { sender, inviteUrl: 'https://app.test/j' } },
    });
    await invite('admin');
    const [{ subject, text, html }] = sender.messages as [(typeof sender.messages)[number]];
    for (const part of [subject, text, html]) {
      expect(part).not.toContain('Sons');
      expect(part).not.toContain(owner.email);
    }
  });

  it('previews an invite by its token with masked addresses, without using it up', async () => {
    const { test, orgs, org, invite } = await scene();
    const { token, invite: sent } = await invite('admin');
    const preview = {
      organization: { name: org.name, slug: org.slug },
      inviter: 'o***@example.com',
      email: 'b***@example.com',
      role: 'admin',
      expiresAt: sent.expiresAt,
    };
    expect(await orgs.previewInvite(token)).toEqual(preview);
    expect(await orgs.previewInvite(token)).toEqual(preview);
    const bySystem = await orgs.invite({ orgId: org.id, email: uniqueEmail() });
    expect((await orgs.previewInvite(bySystem.token)).inviter).toBeNull();
    const user = await verifiedUser(test, sent.email);
    expect((await orgs.acceptInvite(token, user.id)).role).toBe('admin');
  });

  it('rejects a malformed, used, expired, revoked, replaced or orphaned invite with token_invalid', async () => {
    const { test, orgs, owner, org, invite } = await scene();
    const admin = await verifiedUser(test);
    await orgs.addMember(org.id, admin.id, 'admin');
    const [used, revoked, replaced, orphaned] = [
      await invite(),
      await invite(),
      await invite(),
      await invite('member', admin.id),
    ];
    await orgs.acceptInvite(used.token, (await verifiedUser(test, used.invite.email)).id);
    await orgs.revokeInvite(org.id, revoked.invite.id);
    test.clock.advance(1);
    await orgs.invite({ orgId: org.id, email: replaced.invite.email, invitedByUserId: owner.id });
    await orgs.setRole(org.id, admin.id, 'member');
    const expired = await invite();
    for (const { token } of [used, revoked, replaced, orphaned]) {
      expect(await outcomeOf(() => orgs.previewInvite(token))).toBe('token_invalid');
    }
    expect(await outcomeOf(() => orgs.previewInvite(expired.token))).toBe('ok');
    test.clock.advance(7 * day);
    for (const token of [expired.token, `${expired.token}x`, ...invalidIds]) {
      expect(await outcomeOf(() => orgs.previewInvite(token as string))).toBe('token_invalid');
    }
  });

  it('limits previews to 100 in 15 minutes per client', async () => {
    const { orgs, invite } = await scene();
    const { token } = await invite();
    const preview = () => orgs.previewInvite(token, { ip: '192.0.2.77' });
    expect(tallyOf(await runInSequence(101, preview))).toEqual({ ok: 100, rate_limit_exceeded: 1 });
    expect(await outcomeOf(() => orgs.previewInvite(token, { ip: '192.0.2.78' }))).toBe('ok');
  });
});
