// Methods of the Pro tier that administrators call for another user, with `{ actor }`.
import { describeAdapters } from '../support/describe-adapters.js';
import { encryptionKey, everyProvider } from '../support/every-provider.js';
import { invalidIds, license, unknownId } from '../support/make-pro-service.js';
import { outcomeOf } from '../support/outcomes.js';
import { outbox, smsOutbox } from 'svc-auth/testing';

const actor = { type: 'user', id: 'support-1' } as const;

const malformedActors: unknown[] = [
  undefined,
  null,
  'x',
  {},
  { type: 'user' },
  { type: 'user', id: '' },
  { type: 'root', id: 'x' },
];

describeAdapters('Administrative changes', ({ make, uniqueEmail }) => {
  async function scene() {
    const providers = everyProvider({ mail: outbox(), sms: smsOutbox() });
    const { service } = await make({ ...license, encryptionKey, providers });
    const newUser = () => service.users.create({ email: uniqueEmail(), emailVerified: true });
    const [user, owner] = [await newUser(), await newUser()];
    const { org } = await service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
    await service.orgs.addMember(org.id, user.id, 'admin');
    const { record } = await service.apiKeys.create({ userId: user.id, name: 'CI' });
    const { familyId } = await service.refresh.issue({ userId: user.id });
    const calls: Record<string, (by: object, userId?: string) => Promise<unknown>> = {
      'refresh.revokeFamily': (by, userId = user.id) =>
        service.refresh.revokeFamily(familyId, { userId, ...by } as never),
      'apiKeys.revoke': (by, userId = user.id) =>
        service.apiKeys.revoke(record.id, { userId, ...by } as never),
      'orgs.removeMember': (by, userId = user.id) => service.orgs.removeMember(org.id, userId, by as never),
      'webauthn.removeCredential': (by, userId = user.id) =>
        service.webauthn.removeCredential(userId, unknownId, by),
      'totp.disable': (by, userId = user.id) => service.totp.disable(userId, by as never),
      'account.deleteUser': (by, userId = user.id) => service.account.deleteUser(userId, by),
    };
    const state = async () => [
      await service.users.get(user.id),
      await service.refresh.list(user.id),
      await service.apiKeys.list({ userId: user.id }),
      await service.orgs.listForUser(user.id),
    ];
    return { service, user, owner, org, record, familyId, calls, state };
  }

  it('each method refuses a malformed actor or session with invalid_request, and changes nothing', async () => {
    const { calls, state } = await scene();
    const before = await state();
    const malformed = [
      ...malformedActors.map((each) => ({ actor: each })),
      { actor, sessionEpoch: 'x' },
      { actor, sessionEpoch: undefined },
      { actor, sessionRoles: 'admin' },
      { actor: { type: 'system' }, sessionEpoch: 0 },
    ];
    for (const [name, call] of Object.entries(calls)) {
      for (const by of malformed)
        expect([name, by, await outcomeOf(() => call(by))]).toEqual([name, by, 'invalid_request']);
    }
    expect(await state()).toEqual(before);
  });

  it('each method refuses an unknown user with user_not_found', async () => {
    const { calls, state } = await scene();
    const before = await state();
    for (const [name, call] of Object.entries(calls)) {
      // A missing owner of a record is a malformed argument.
      const ids = /refresh|apiKeys/.test(name)
        ? invalidIds.filter((id) => typeof id === 'string')
        : invalidIds;
      for (const id of ids.filter((each) => each !== undefined))
        expect([name, id, await outcomeOf(() => call({ actor }, id as string))]).toEqual([
          name,
          id,
          'user_not_found',
        ]);
    }
    expect(await state()).toEqual(before);
  });

  it('a missing owner of a record is refused, so that no record of another user ends', async () => {
    const { service, familyId, record, state } = await scene();
    const before = await state();
    for (const by of [{ actor }, { actor, userId: undefined }, { actor, userId: null }] as never[]) {
      expect(await outcomeOf(() => service.refresh.revokeFamily(familyId, by))).toBe('invalid_request');
      expect(await outcomeOf(() => service.apiKeys.revoke(record.id, by))).toBe('invalid_request');
    }
    expect(await state()).toEqual(before);
  });

  it('records of another user do not end', async () => {
    const { service, owner, familyId, record, state } = await scene();
    const before = await state();
    await service.refresh.revokeFamily(familyId, { userId: owner.id, actor });
    await service.apiKeys.revoke(record.id, { userId: owner.id, actor });
    expect(await state()).toEqual(before);
  });

  it('an administrator needs no role in an organization, and the last owner stays', async () => {
    const { service, owner, user, org } = await scene();
    expect(await outcomeOf(() => service.orgs.removeMember(org.id, owner.id, { actor }))).toBe('org_error');
    await service.orgs.removeMember(org.id, user.id, { actor });
    expect(await outcomeOf(() => service.orgs.removeMember(org.id, user.id, { actor }))).toBe('org_error');
    expect(await service.orgs.listMembers(org.id)).toHaveLength(1);
  });
});
