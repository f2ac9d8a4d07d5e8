// What an account with an unverified address can create: nothing that remains after the owner of
// the mailbox reclaims it.
import type { OrgRole, ServiceUser } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures } from '../support/make-pro-service.js';
import { outcomeOf } from '../support/outcomes.js';

describeAdapters('Accounts with an unverified address', ({ make, uniqueEmail }) => {
  const { makePro, verifiedUser, unverifiedUser, userWithoutAddress } = proFixtures({ make, uniqueEmail });
  type Test = Awaited<ReturnType<typeof makePro>>;

  const verify = async ({ service, mail }: Test, { email }: ServiceUser) => {
    await service.emailCode.sendCode({ email: email! });
    return service.emailCode.verify({ email: email!, code: mail.lastCode(email!)! });
  };

  it('creates no organization, by the user or by the system, until the address is verified', async () => {
    const test = await makePro();
    const { orgs } = test.service;
    const user = await unverifiedUser(test);
    const create = (acting?: { actingUserId: string }) =>
      outcomeOf(() => orgs.create({ name: 'Acme', ownerUserId: user.id }, acting));
    expect([await create(), await create({ actingUserId: user.id })]).toEqual([
      'email_unverified',
      'email_unverified',
    ]);
    expect(await orgs.listForUser(user.id)).toEqual([]);
    await verify(test, user);
    expect(await create()).toBe('ok');
  });

  it('creates no API key, for the user or for an organization', async () => {
    const test = await makePro();
    const { apiKeys, orgs } = test.service;
    const user = await unverifiedUser(test);
    const { id: ownerUserId } = await verifiedUser(test);
    const { org } = await orgs.create({ name: 'Acme', ownerUserId });
    await orgs.addMember(org.id, user.id, 'admin');
    const acting = { actingUserId: user.id };
    const attempts = [
      () => apiKeys.create({ userId: user.id, name: 'CI' }),
      () => apiKeys.create({ userId: user.id, name: 'CI' }, acting),
      () => apiKeys.create({ orgId: org.id, name: 'CI' }, acting),
    ];
    for (const attempt of attempts) expect(await outcomeOf(attempt)).toBe('email_unverified');
    expect(await apiKeys.list({ userId: user.id })).toEqual([]);
    expect(await apiKeys.list({ orgId: org.id })).toEqual([]);
    await verify(test, user);
    await test.service.apiKeys.create({ userId: user.id, name: 'CI' });
    await test.service.apiKeys.create({ orgId: org.id, name: 'CI' }, acting);
  });

  it('invites and adds no member, and sends no mail', async () => {
    const { sender, messages } = senderOf();
    const test = await makePro({ providers: { orgs: { sender, inviteUrl: 'https://app.test/join' } } });
    const { orgs } = test.service;
    const user = await unverifiedUser(test);
    const accomplice = await verifiedUser(test);
    const { id: ownerUserId } = await verifiedUser(test);
    const { org } = await orgs.create({ name: 'Acme', ownerUserId });
    await orgs.addMember(org.id, user.id, 'owner');
    const invite = () =>
      orgs.invite({ orgId: org.id, email: uniqueEmail(), role: 'owner', invitedByUserId: user.id });
    const add = () => orgs.addMember(org.id, accomplice.id, 'owner', { actingUserId: user.id });
    expect([await outcomeOf(invite), await outcomeOf(add)]).toEqual(['email_unverified', 'email_unverified']);
    expect([messages, await orgs.listInvites(org.id)]).toEqual([[], []]);
    await verify(test, user);
    expect([await outcomeOf(invite), await outcomeOf(add)]).toEqual(['ok', 'ok']);
  });

  it('raises no role, not even as an owner, and can lower one', async () => {
    const test = await makePro();
    const { orgs } = test.service;
    const user = await unverifiedUser(test);
    const accomplice = await verifiedUser(test);
    const { id: ownerUserId } = await verifiedUser(test);
    const { org } = await orgs.create({ name: 'Acme', ownerUserId });
    await orgs.addMember(org.id, user.id, 'owner');
    await orgs.addMember(org.id, accomplice.id, 'member');
    const give = (role: OrgRole) =>
      outcomeOf(() => orgs.setRole(org.id, accomplice.id, role, { actingUserId: user.id }));
    expect([await give('admin'), await give('owner')]).toEqual(['email_unverified', 'email_unverified']);
    expect(await give('member')).toBe('ok');
    await orgs.setRole(org.id, accomplice.id, 'admin');
    expect([await give('admin'), await give('member')]).toEqual(['ok', 'ok']);
    await verify(test, user);
    expect(await give('owner')).toBe('ok');
  });

  it('permits all of that with allowUnverified', async () => {
    const test = await makePro({
      providers: { orgs: { allowUnverified: true }, apiKeys: { allowUnverified: true } },
    });
    const { apiKeys, orgs } = test.service;
    const user = await unverifiedUser(test);
    const { org } = await orgs.create({ name: 'Acme', ownerUserId: user.id }, { actingUserId: user.id });
    await orgs.invite({ orgId: org.id, email: uniqueEmail(), invitedByUserId: user.id });
    const { id } = await verifiedUser(test);
    await orgs.addMember(org.id, id, 'member', { actingUserId: user.id });
    await orgs.setRole(org.id, id, 'owner', { actingUserId: user.id });
    await apiKeys.create({ userId: user.id, name: 'CI' });
    await apiKeys.create({ orgId: org.id, name: 'CI' }, { actingUserId: user.id });
  });

  it('permits all of that to users without an address, who proved an identity', async () => {
    const test = await makePro();
    const { apiKeys, orgs } = test.service;
    const { id } = await userWithoutAddress(test);
    const { org } = await orgs.create({ name: 'Acme', ownerUserId: id });
    await orgs.invite({ orgId: org.id, email: uniqueEmail(), invitedByUserId: id });
    await apiKeys.create({ userId: id, name: 'CI' });
  });

  it('removes pending invites when the account is reclaimed', async () => {
    const test = await makePro({ providers: { orgs: { allowUnverified: true } } });
    const { orgs } = test.service;
    const attacker = await unverifiedUser(test);
    const accomplice = await verifiedUser(test);
    const { id: ownerUserId } = await verifiedUser(test);
    const { org } = await orgs.create({ name: 'Acme', ownerUserId });
    await orgs.addMember(org.id, attacker.id, 'admin');
    const to = { orgId: org.id, email: accomplice.email! };
    const { token } = await orgs.invite({ ...to, invitedByUserId: attacker.id });
    await verify(test, attacker);
    expect(await orgs.listInvites(org.id)).toEqual([]);
    expect(await outcomeOf(() => orgs.previewInvite(token))).toBe('token_invalid');
    expect(await outcomeOf(() => orgs.acceptInvite(token, accomplice.id))).toBe('token_invalid');
    expect(await orgs.roleOf(org.id, accomplice.id)).toBeNull();
  });

  it('rejects invites of an unverified account until the address is verified, without allowUnverified', async () => {
    const allowing = await makePro({ providers: { orgs: { allowUnverified: true } } });
    const strict = await makePro({ adapter: allowing.adapter });
    const user = await unverifiedUser(allowing);
    const invited = await verifiedUser(allowing);
    const { org } = await allowing.service.orgs.create({ name: 'Acme', ownerUserId: user.id });
    const to = { orgId: org.id, email: invited.email! };
    const { token } = await allowing.service.orgs.invite({ ...to, invitedByUserId: user.id });
    const { orgs } = strict.service;
    expect(await outcomeOf(() => orgs.previewInvite(token))).toBe('token_invalid');
    expect(await outcomeOf(() => orgs.acceptInvite(token, invited.id))).toBe('token_invalid');
    expect((await allowing.service.orgs.previewInvite(token)).inviter).toBeNull();
    await allowing.service.orgs.acceptInvite(token, invited.id);
  });

  it('create nothing with a call that began before they were reclaimed', async () => {
    const test = await makePro({
      providers: { orgs: { allowUnverified: true }, apiKeys: { allowUnverified: true } },
    });
    const { apiKeys, orgs } = test.service;
    const user = await unverifiedUser(test);
    const { org } = await orgs.create({ name: 'Acme', ownerUserId: user.id });
    // As read when the session was checked.
    const acting = { actingUserId: user.id, sessionEpoch: 0 };
    const invite = () => ({ orgId: org.id, email: uniqueEmail(), invitedByUserId: user.id });
    await verify(test, user);
    const late = [
      () => orgs.create({ name: 'Late', ownerUserId: user.id }, acting),
      () => orgs.invite(invite(), { sessionEpoch: 0 }),
      () => apiKeys.create({ userId: user.id, name: 'CI' }, acting),
      () => apiKeys.create({ orgId: org.id, name: 'CI' }, acting),
    ];
    for (const call of late) expect(await outcomeOf(call)).toBe('token_invalid');
    for (const call of [
      () => orgs.create({ name: 'x', ownerUserId: user.id }, { ...acting, sessionEpoch: '0' as never }),
      () => orgs.invite(invite(), { sessionEpoch: '0' as never }),
    ]) {
      expect(await outcomeOf(call)).toBe('invalid_request');
    }
  });
});

function senderOf() {
  const messages: unknown[] = [];
  return { messages, sender: { send: async (message: unknown) => void messages.push(message) } };
}
