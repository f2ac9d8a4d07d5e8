// Names and pictures of users and organizations, changed by several callers at the same time.
import { describeAdapters } from '../support/describe-adapters.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';
import { orgMembers } from './org-members.js';

describeAdapters('Names and pictures', (on) => {
  const { acme, member, verifiedUser } = orgMembers(on);

  it('of a user are changed without losing what the application changes at the same time', async () => {
    const { test, owner } = await acme();
    const { account, users } = test.service;
    const keys = Array.from({ length: 10 }, (_, index) => `key${index}`);
    await Promise.all([
      ...keys.map((key) => users.update(owner.id, { mergeMetadata: { [key]: true } })),
      ...keys.map((key) => account.changeProfile({ userId: owner.id, name: `Ada ${key}` })),
    ]);
    const { metadata } = await users.get(owner.id);
    for (const key of keys) expect(metadata).toMatchObject({ [key]: true });
    expect(metadata['name']).toMatch(/^Ada key\d$/);
    const { user } = await account.changeProfile({ userId: owner.id, name: null });
    expect(user.metadata).toEqual(Object.fromEntries(keys.map((key) => [key, true])));
  });

  it('of a user are both kept when they are changed at the same time', async () => {
    const { test } = await acme({ profiles: { pictures: ['/avatars/'] } });
    const people = await Promise.all(Array.from({ length: 10 }, () => verifiedUser(test)));
    const { account, users } = test.service;
    await Promise.all(
      people.flatMap(({ id: userId }) => [
        account.changeProfile({ userId, name: 'Ada' }),
        account.changeProfile({ userId, picture: '/avatars/ada.png' }),
      ]),
    );
    for (const { id } of people)
      expect((await users.get(id)).metadata).toEqual({ name: 'Ada', picture: '/avatars/ada.png' });
  });

  it('of a user are changed twenty times in a day, and no more', async () => {
    const { test, owner } = await acme();
    const change = () => test.service.account.changeProfile({ userId: owner.id, name: 'Ada' });
    for (let index = 0; index < 20; index += 1) await change();
    expect(await outcomeOf(change)).toBe('rate_limit_exceeded');
    test.clock.advance(24 * 60 * 60_000);
    expect(await outcomeOf(change)).toBe('ok');
  });

  it('of a user are not changed by a session that has ended', async () => {
    const { test, owner } = await acme();
    const { account, users } = test.service;
    await users.signOut(owner.id);
    const late = () => account.changeProfile({ userId: owner.id, name: 'Eve' }, { sessionEpoch: 0 });
    expect(await outcomeOf(late)).toBe('token_invalid');
    expect((await users.get(owner.id)).metadata).toEqual({});
  });

  it('of an organization are changed by admins and the system, with the role read under the lock', async () => {
    const { test, org, orgs } = await acme();
    const [admin, plain] = [await member(test, org.id, 'admin'), await member(test, org.id, 'member')];
    const stranger = await verifiedUser(test);
    await test.takeEvents();
    for (const actingUserId of [plain.id, stranger.id])
      expect(await outcomeOf(() => orgs.update(org.id, { name: 'Eve' }, { actingUserId }))).toBe(
        'not_authorized',
      );
    const acting = { actingUserId: admin.id };
    expect(await orgs.update(org.slug, { name: ' Works ' }, acting)).toMatchObject({
      id: org.id,
      name: 'Works',
      slug: org.slug,
    });
    expect(await errorOf(() => orgs.update(org.id, { picture: '/a.png' }))).toMatchObject({
      code: 'invalid_request',
      field: 'picture',
      reason: 'picture_source',
    });
    expect(await outcomeOf(() => orgs.update('unknown', { name: 'X' }))).toBe('org_error');
    expect(await outcomeOf(() => orgs.update('unknown', { name: 'X' }, acting))).toBe('not_authorized');
    expect(await test.takeEvents()).toEqual([
      { name: 'org.updated', payload: { orgId: org.id, fields: ['name'] } },
    ]);
    const [removal, rename] = await Promise.allSettled([
      orgs.removeMember(org.id, admin.id),
      orgs.update(org.id, { name: 'Last' }, acting),
    ]);
    expect(removal.status).toBe('fulfilled');
    const { name } = (await orgs.get(org.id))!;
    expect(name).toBe(rename.status === 'fulfilled' ? 'Last' : 'Works');
    expect(await outcomeOf(() => orgs.update(org.id, { name: 'Late' }, acting))).toBe('not_authorized');
  });

  it('listOnlyOwned lists an organization for its last owner alone', async () => {
    const { test, org, owner, orgs } = await acme();
    const admin = await member(test, org.id, 'admin');
    expect(await orgs.listOnlyOwned(owner.id)).toEqual([org.id]);
    expect(await orgs.listOnlyOwned(admin.id)).toEqual([]);
    expect(await orgs.listOnlyOwned('unknown')).toEqual([]);
    await orgs.setRole(org.id, admin.id, 'owner');
    expect(await orgs.listOnlyOwned(owner.id)).toEqual([]);
  });
});
