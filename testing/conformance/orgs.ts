import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  accepted,
  createdOrg,
  insertedApiKey,
  insertedGuest,
  newMembership,
  newOrg,
  storedInvite,
} from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  tally,
} from './suite.js';

export function describeOrgs(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'orgs');

  test('create stores an organization, found by id and by slug, with its first owner', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const org = newOrg({ metadata: { list: [1, '?', ':name'] }, updatedAt: after(5) });
    const owner = newMembership(org.id, userId);
    assert.equal(await storage.orgs.create(org, owner), 'created');
    assert.deepEqual(await storage.orgs.findById(org.id), org);
    assert.deepEqual(await storage.orgs.findBySlug(org.slug), org);
    assert.deepEqual(await storage.orgs.listMembers(org.id), [owner]);
    assert.equal(await storage.orgs.findById(randomUUID()), null);
    assert.equal(await storage.orgs.findBySlug(randomUUID()), null);
  });

  test('create stores nothing if the slug is taken or the owner is unknown', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { slug } = await createdOrg(storage, userId);
    const second = newOrg({ slug });
    assert.equal(await storage.orgs.create(second, newMembership(second.id, userId)), 'slug_taken');
    const orphan = newOrg();
    assert.equal(await storage.orgs.create(orphan, newMembership(orphan.id, randomUUID())), 'no_user');
    for (const { id } of [second, orphan]) assert.equal(await storage.orgs.findById(id), null);
    assert.equal((await storage.orgs.listForUser(userId)).length, 1);
  });

  testsRequiring(
    register,
    'orgs',
    'guests',
  )('create returns guest if the owner is a guest', async (storage) => {
    const { id: userId } = await insertedGuest(storage);
    const org = newOrg();
    assert.equal(await storage.orgs.create(org, newMembership(org.id, userId)), 'guest');
    assert.equal(await storage.orgs.findById(org.id), null);
  });

  test('only one of 50 parallel creations with a slug succeeds', async (storage) => {
    const users = await inParallel(5, () => insertedUser(storage));
    const slug = randomUUID();
    const created = Array.from({ length: 50 }, () => newOrg({ slug }));
    const results = await Promise.all(
      created.map((org, index) =>
        storage.orgs.create(org, newMembership(org.id, users[index % 5]?.id ?? '')),
      ),
    );
    assert.deepEqual(tally(results), { created: 1, slug_taken: 49 });
    assert.equal((await storage.orgs.findBySlug(slug))?.id, created[results.indexOf('created')]?.id);
    const memberships = await Promise.all(users.map(({ id }) => storage.orgs.listForUser(id)));
    assert.equal(memberships.flat().length, 1);
  });

  test('update changes what decide returns, and the time of the change, once per change', async (storage) => {
    const owner = await insertedUser(storage);
    const org = await createdOrg(storage, owner.id);
    const renamed = await storage.orgs.update(org.id, after(1), () => ({ name: 'Büro 🏢' }));
    assert.deepEqual(renamed, { ...org, name: 'Büro 🏢', updatedAt: after(1) });
    const metadata = { ...org.metadata, picture: '/logos/1.png' };
    const again = await storage.orgs.update(org.id, after(1), () => ({ metadata }));
    assert.deepEqual(again, { ...renamed, metadata, updatedAt: new Date(after(1).getTime() + 1) });
    assert.deepEqual(await storage.orgs.findById(org.id), again);
    const refusal = new Error('refused');
    const refuse = () => {
      throw refusal;
    };
    await assert.rejects(storage.orgs.update(org.id, after(9), refuse), (error) => error === refusal);
    assert.deepEqual(await storage.orgs.findById(org.id), again);
    for (const id of [randomUUID(), 'malformed'])
      assert.equal(await storage.orgs.update(id, now, refuse), null);
  });

  test('of 20 parallel updates of an organization none is lost', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id } = await createdOrg(storage, userId);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        storage.orgs.update(id, now, ({ metadata }) => ({
          metadata: { ...metadata, [`key-${index}`]: index },
        })),
      ),
    );
    const { metadata } = (await storage.orgs.findById(id))!;
    assert.equal(Object.keys(metadata).filter((key) => key.startsWith('key-')).length, 20);
  });

  test('update passes the role of the actor to decide, and changes nothing if it refuses', async (storage) => {
    const [owner, member] = [await insertedUser(storage), await insertedUser(storage)];
    const org = await createdOrg(storage, owner.id, { [member.id]: 'member' });
    const roles: unknown[] = [];
    const decide = (role: unknown) => {
      roles.push(role);
      if (role !== 'owner') throw new Error('refused');
    };
    const rename = (orgId: string, userId: string) =>
      storage.orgs.update(orgId, after(1), () => ({ name: 'Renamed' }), { userId, decide });
    await assert.rejects(rename(org.id, member.id));
    await assert.rejects(rename(randomUUID(), owner.id));
    assert.deepEqual(await storage.orgs.findById(org.id), org);
    assert.equal((await rename(org.id, owner.id))?.name, 'Renamed');
    assert.deepEqual(roles, ['member', null, 'owner']);
  });

  test('listOnlyOwned lists the organizations without another owner', async (storage) => {
    const [owner, other] = [await insertedUser(storage), await insertedUser(storage)];
    const org = await createdOrg(storage, owner.id, { [other.id]: 'admin' });
    const own = await createdOrg(storage, owner.id);
    await createdOrg(storage, other.id, { [owner.id]: 'admin' });
    assert.deepEqual(await storage.orgs.listOnlyOwned(owner.id), [org.id, own.id].sort());
    await storage.orgs.changeMember({ orgId: org.id, userId: other.id, now }, () => 'owner');
    assert.deepEqual(await storage.orgs.listOnlyOwned(owner.id), [own.id]);
    for (const id of [randomUUID(), 'malformed']) assert.deepEqual(await storage.orgs.listOnlyOwned(id), []);
  });

  test('delete also deletes memberships and invites, and frees the slug', async (storage) => {
    const [owner, member] = [await insertedUser(storage), await insertedUser(storage)];
    const org = await createdOrg(storage, owner.id, { [member.id]: 'member' });
    const kept = await createdOrg(storage, owner.id);
    const { digest } = await storedInvite(storage, org.id, { invitedByUserId: owner.id });
    assert.equal(await storage.orgs.delete(org.id), true);
    assert.equal(await storage.orgs.delete(org.id), false);
    assert.equal(await storage.orgs.delete(randomUUID()), false);
    assert.equal(await storage.orgs.findBySlug(org.slug), null);
    assert.deepEqual(await storage.orgs.listMembers(org.id), []);
    assert.deepEqual(await storage.orgs.listForUser(member.id), []);
    assert.deepEqual(await storage.orgs.listForUser(owner.id), [newMembership(kept.id, owner.id)]);
    assert.deepEqual(await storage.orgs.listInvitesOf({ userId: owner.id, email: null }), []);
    assert.deepEqual(await accepted(storage, digest, owner.id, now), { status: 'invalid' });
    const next = newOrg({ slug: org.slug });
    assert.equal(await storage.orgs.create(next, newMembership(next.id, owner.id)), 'created');
  });

  testsRequiring(
    register,
    'orgs',
    'apiKeys',
  )('delete also deletes the API keys of the organization', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id: orgId } = await createdOrg(storage, userId);
    const [theirs, mine] = [
      await insertedApiKey(storage, { orgId }),
      await insertedApiKey(storage, { userId }),
    ];
    await storage.orgs.delete(orgId);
    assert.equal(await storage.apiKeys.findById(theirs.id), null);
    assert.deepEqual(await storage.apiKeys.findById(mine.id), mine);
  });

  test('changing an inserted or returned organization does not change the stored one', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const org = newOrg({ metadata: { plan: 'free' }, createdAt: new Date(now) });
    await storage.orgs.create(org, newMembership(org.id, userId));
    const untouched = { ...org, metadata: { plan: 'free' }, createdAt: now };
    org.metadata.plan = 'stolen';
    org.createdAt.setTime(0);
    for (const found of [await storage.orgs.findById(org.id), await storage.orgs.findBySlug(org.slug)]) {
      assert.deepEqual(found, untouched);
      found?.updatedAt.setTime(0);
    }
    const [member] = await storage.orgs.listMembers(org.id);
    if (member) member.role = 'member';
    assert.equal(await storage.orgs.roleOf(org.id, userId), 'owner');
    assert.deepEqual(await storage.orgs.findById(org.id), { ...untouched, updatedAt: now });
  });
}
