// Changes of organizations and keys by a session that ends during the call.
import { describeAdapters } from '../support/describe-adapters.js';
import { storageHook } from '../support/pause-points.js';
import { unknownId, proFixtures } from '../support/make-pro-service.js';
import { outcomeOf } from '../support/outcomes.js';
import { gate } from '../support/password-accounts.js';

describeAdapters('A change of an organization', ({ make, uniqueEmail, adapter, openTransaction }) => {
  const { makePro, verifiedUser, unverifiedUser } = proFixtures({ make, uniqueEmail });

  async function scene(overrides: Parameters<typeof makePro>[0] = {}) {
    const test = await makePro(overrides);
    const [owner, member] = [await verifiedUser(test), await verifiedUser(test)];
    const { orgs, apiKeys } = test.service;
    const { org } = await orgs.create({ name: `Acme ${owner.id}`, ownerUserId: owner.id });
    await orgs.addMember(org.id, member.id, 'member');
    return { test, orgs, apiKeys, owner, member, orgId: org.id };
  }
  type Scene = Awaited<ReturnType<typeof scene>>;

  async function changesOf({ test, orgs, apiKeys, owner, member, orgId }: Scene) {
    const other = await verifiedUser(test);
    const { invite } = await orgs.invite({ orgId, email: uniqueEmail() });
    const ofOrg = await apiKeys.create({ orgId, name: 'CI' });
    const own = await apiKeys.create({ userId: owner.id, name: 'CI' });
    const acting = { actingUserId: owner.id, sessionEpoch: 0 };
    type By = typeof acting;
    return {
      acting,
      keys: [ofOrg.key, own.key],
      changes: {
        addMember: (by: By) => orgs.addMember(orgId, other.id, 'admin', by),
        setRole: (by: By) => orgs.setRole(orgId, member.id, 'admin', by),
        removeMember: (by: By) => orgs.removeMember(orgId, member.id, by),
        revokeInvite: (by: By) => orgs.revokeInvite(orgId, invite.id, by),
        'apiKeys.revoke of the organization': (by: By) => apiKeys.revoke(ofOrg.record.id, { orgId, ...by }),
        'apiKeys.revoke of the user': (by: By) => apiKeys.revoke(own.record.id, by),
        delete: (by: By) => orgs.delete(orgId, by),
      },
    };
  }

  it('rejects a change with token_invalid if every session was revoked after the epoch was read', async () => {
    const testScene = await scene();
    const { test, orgs, apiKeys, owner, orgId } = testScene;
    const { acting, changes, keys } = await changesOf(testScene);
    const state = async () => [
      await orgs.listMembers(orgId),
      await orgs.listInvites(orgId),
      await Promise.all(keys.map((key) => outcomeOf(() => apiKeys.verify(key)))),
    ];
    const before = await state();
    await test.service.sessionsProvider.revokeAll(owner.id);
    await test.takeEvents();
    for (const [name, change] of Object.entries(changes)) {
      expect([name, await outcomeOf(() => change(acting))]).toEqual([name, 'token_invalid']);
      const odd = { ...acting, sessionEpoch: '1' as never };
      expect([name, await outcomeOf(() => change(odd))]).toEqual([name, 'invalid_request']);
    }
    expect(await state()).toEqual(before);
    expect(await test.takeEvents()).toEqual([]);
    for (const [name, change] of Object.entries(changes)) {
      expect([name, await outcomeOf(() => change({ ...acting, sessionEpoch: 1 }))]).toEqual([name, 'ok']);
    }
  });

  it('reveals nothing to a user who is not a member, with any epoch', async () => {
    const testScene = await scene();
    const { test, orgs, apiKeys, member, orgId } = testScene;
    const stranger = { actingUserId: (await verifiedUser(test)).id, sessionEpoch: 9 };
    for (const id of [orgId, unknownId]) {
      for (const attempt of [
        () => orgs.addMember(id, member.id, 'member', stranger),
        () => orgs.addMember(id, unknownId, 'member', stranger),
        () => orgs.setRole(id, member.id, 'member', stranger),
        () => orgs.removeMember(id, member.id, stranger),
        () => orgs.revokeInvite(id, unknownId, stranger),
        () => orgs.delete(id, stranger),
        () => apiKeys.revoke(unknownId, { orgId: id, ...stranger }),
      ]) {
        expect(await outcomeOf(attempt)).toBe('not_authorized');
      }
    }
  });

  it('reports an unknown user as user_not_found only to admins and the system', async () => {
    const { orgs, owner, member, orgId } = await scene();
    const add = (by?: { actingUserId: string }) =>
      outcomeOf(() => orgs.addMember(orgId, unknownId, 'member', by));
    expect(await add({ actingUserId: member.id })).toBe('not_authorized');
    expect(await add({ actingUserId: owner.id })).toBe('user_not_found');
    expect(await add()).toBe('user_not_found');
  });

  const reclaim = async ({ service, mail }: Scene['test'], email: string) => {
    await service.emailCode.sendCode({ email });
    await service.emailCode.verify({ email, code: mail.lastCode(email)! });
  };

  it('rejects a change if the account is reclaimed just before it is stored', async () => {
    const once = storageHook('before', 'orgs.changeMember');
    const { test, orgs, member, orgId } = await scene({
      adapter: once.wrapAdapter(adapter()),
      providers: { orgs: { allowUnverified: true } },
    });
    const changes = {
      addMember: async (ally: string, by: { actingUserId: string; sessionEpoch: number }) =>
        orgs.addMember(orgId, ally, 'admin', by),
      setRole: async (_: string, by: { actingUserId: string; sessionEpoch: number }) =>
        orgs.setRole(orgId, member.id, 'owner', by),
    };
    for (const [name, change] of Object.entries(changes)) {
      const [attacker, ally] = [await unverifiedUser(test), await verifiedUser(test)];
      await orgs.addMember(orgId, attacker.id, 'owner');
      once.run = () => reclaim(test, attacker.email!);
      const outcome = await outcomeOf(() => change(ally.id, { actingUserId: attacker.id, sessionEpoch: 0 }));
      expect([name, outcome]).toEqual([name, 'token_invalid']);
      expect(await orgs.roleOf(orgId, ally.id)).toBeNull();
      expect(await orgs.roleOf(orgId, member.id)).toBe('member');
    }
  });

  it('invites no one and sends no mail if every session was revoked after the epoch was read', async () => {
    const messages: unknown[] = [];
    const sender = { send: async (message: unknown) => void messages.push(message) };
    const { test, orgs, owner, orgId } = await scene({
      providers: { orgs: { sender, inviteUrl: 'https://app.test/join' } },
    });
    const invite = (sessionEpoch?: number, invitedByUserId: string | undefined = owner.id) => {
      const input = { orgId, email: uniqueEmail(), ...(invitedByUserId && { invitedByUserId }) };
      return outcomeOf(() => orgs.invite(input, { sessionEpoch }));
    };
    await test.service.sessionsProvider.revokeAll(owner.id);
    await test.takeEvents();
    expect(await invite(0)).toBe('token_invalid');
    expect(await invite(Number.NaN)).toBe('invalid_request');
    expect([messages, await orgs.listInvites(orgId), await test.takeEvents()]).toEqual([[], [], []]);
    // The system has no session.
    expect([await invite(1), await invite(), await invite(0, '')]).toEqual(['ok', 'ok', 'ok']);
  });

  describe('an invite whose mail is being sent', () => {
    async function sending() {
      const [started, release] = [gate(), gate()];
      const send = () => {
        started.open();
        return release.opened;
      };
      const testScene = await scene({
        providers: { orgs: { sender: { send }, inviteUrl: 'https://app.test/join' } },
      });
      const { sessionsProvider } = testScene.test.service;
      const [own, other] = await Promise.all(
        [0, 1].map(() => sessionsProvider.create({ userId: testScene.owner.id })),
      );
      const invite = (sessionToken: string) => {
        const from = { orgId: testScene.orgId, email: uniqueEmail(), invitedByUserId: testScene.owner.id };
        return outcomeOf(() => testScene.orgs.invite(from, { sessionToken, sessionEpoch: 0 }));
      };
      return {
        ...testScene,
        sessionsProvider,
        own: own!,
        other: other!,
        invite,
        started,
        release,
      };
    }

    it.each(['revokeDevice', 'revokeOthers', 'revoke'] as const)(
      'stores no invite if %s has revoked the session of the call',
      async (method) => {
        const { test, orgs, orgId, owner, sessionsProvider, own, other, invite, started, release } =
          await sending();
        const outcome = invite(own.token);
        await started.opened;
        if (method === 'revokeDevice') await sessionsProvider.revokeDevice(own.session.id);
        if (method === 'revokeOthers') await sessionsProvider.revokeOthers(owner.id, other.token);
        if (method === 'revoke') await sessionsProvider.revoke(own.token);
        await test.takeEvents();
        release.open();
        expect(await outcome).toBe('token_invalid');
        expect(await orgs.listInvites(orgId)).toEqual([]);
        expect(await test.takeEvents()).toEqual([]);
      },
    );

    it('stores an invite if another session is revoked, or the token is not one of the inviter', async () => {
      const { test, orgs, orgId, member, sessionsProvider, own, other, invite, started, release } =
        await sending();
      const theirs = await sessionsProvider.create({ userId: member.id });
      const calls = [own.token, theirs.token, 'malformed', ''].map(invite);
      await started.opened;
      for (const { session } of [other, theirs]) await sessionsProvider.revokeDevice(session.id);
      release.open();
      expect(await Promise.all(calls)).toEqual(['ok', 'ok', 'ok', 'ok']);
      expect(await orgs.listInvites(orgId)).toHaveLength(4);
      await test.takeEvents();
    });
  });

  if (openTransaction)
    it('rejects a change after the reclaim if it waited for the lock of the organization', async () => {
      const { test, orgs, orgId } = await scene();
      const [attacker, ally] = [await unverifiedUser(test), await verifiedUser(test)];
      await orgs.addMember(orgId, attacker.id, 'admin');
      const held = await openTransaction(`select id from svc_orgs where id = '${orgId}' for no key update`);
      const acting = { actingUserId: attacker.id, sessionEpoch: 0 };
      const added = outcomeOf(() => orgs.addMember(orgId, ally.id, 'admin', acting));
      await held.untilWaiting(1);
      // Waits for the change, which has locked the user.
      const reclaimed = reclaim(test, attacker.email!);
      await held.untilWaiting(2);
      await held.commit();
      await reclaimed;
      expect(await added).toMatch(/^(email_unverified|token_invalid)$/);
      expect(await orgs.roleOf(orgId, ally.id)).toBeNull();
    });
});
