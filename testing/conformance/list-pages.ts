/** Ranges of lists, and methods that read one row instead of a whole list. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ListPosition, ListRange } from '../../src/storage/list-range.js';
import {
  createdOrg,
  insertedApiKey,
  insertedCredential,
  insertedFamily,
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
  startedSession,
} from './suite.js';

/** Times of seven rows. Two are the same, so that their ids decide the order. */
const times = [0, 1, 1, 2, 3, 5, 8];

/**
 * Checks that consecutive pages of every size contain the whole list in its order, and that a
 * position stays valid without a row at it.
 */
async function checkPages<Row>(
  list: (range?: ListRange) => Promise<Row[]>,
  positionOf: (row: Row) => ListPosition,
): Promise<void> {
  const all = await list();
  assert.equal(all.length, times.length);
  assert.deepEqual(await list({}), all);
  for (const limit of [1, 2, 3, 7, 8]) {
    const pages: Row[][] = [];
    let range: ListRange = { limit };
    for (;;) {
      const page = await list(range);
      pages.push(page);
      const last = page.at(-1);
      if (last === undefined || page.length < limit) break;
      range = { limit, after: positionOf(last) };
    }
    assert.deepEqual(pages.flat(), all, `limit ${limit}`);
    assert.ok(pages.every((page) => page.length <= limit));
  }
  const [first, second] = all;
  assert.ok(first && second);
  assert.deepEqual(await list({ after: positionOf(first) }), all.slice(1));
  assert.deepEqual(await list({ after: positionOf(all.at(-1) as Row), limit: 5 }), []);
  // No row is at this position.
  const unknown = {
    createdAt: positionOf(first).createdAt,
    id: positionOf(first).id.replace(/^.{8}/, '00000000'),
  };
  assert.ok((await list({ after: unknown })).length >= times.length - 1);
  for (const id of ['', 'malformed', '\0', '\ud800']) {
    assert.ok(Array.isArray(await list({ after: { createdAt: now, id }, limit: 1 })));
  }
}

export function describeListPages(register: RegisterConformanceTest): void {
  register('sessions.listLive returns pages of active sessions', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    await inParallel(times.length, (i) =>
      startedSession(storage, user.id, { createdAt: after(times[i] ?? 0) }),
    );
    await startedSession(storage, other.id);
    await startedSession(storage, user.id, { revokedAt: now });
    await checkPages(
      (range) => storage.sessions.listLive(user.id, now, range),
      (session) => session,
    );
  });

  register('sessions.listBrowsers returns pages of active sessions', async (storage) => {
    const { id } = await insertedUser(storage);
    for (const time of times) await startedSession(storage, id, { createdAt: after(time) });
    await startedSession(storage, id, { revokedAt: now });
    await checkPages(
      (range) => storage.sessions.listBrowsers(id, now, range),
      (session) => session,
    );
  });

  testsRequiring(register, 'refreshFamilies')(
    'refreshFamilies.listLive returns pages of active families',
    async (storage) => {
      const { id } = await insertedUser(storage);
      for (const time of times) await insertedFamily(storage, id, { createdAt: after(time) });
      await insertedFamily(storage, id, { revokedAt: now });
      await checkPages(
        (range) => storage.refreshFamilies.listLive(id, now, range),
        (family) => family,
      );
    },
  );

  testsRequiring(register, 'credentials')(
    'credentials.listForUser returns pages of passkeys',
    async (storage) => {
      const { id } = await insertedUser(storage);
      for (const time of times) await insertedCredential(storage, id, { createdAt: after(time) });
      await checkPages(
        (range) => storage.credentials.listForUser(id, range),
        (credential) => credential,
      );
    },
  );

  testsRequiring(
    register,
    'apiKeys',
    'orgs',
  )('apiKeys.list returns pages of keys', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const { id: orgId } = await createdOrg(storage, user.id);
    for (const owner of [{ userId: user.id }, { orgId }]) {
      for (const time of times) await insertedApiKey(storage, owner, { createdAt: after(time) });
      await insertedApiKey(storage, { userId: other.id });
      await checkPages(
        (range) => storage.apiKeys.list(owner, range),
        (key) => key,
      );
    }
  });

  const test = testsRequiring(register, 'orgs');

  test('listMembersWithUsers returns pages of members with their verified address or null, and metadata', async (storage) => {
    const people = await inParallel(times.length, (i) =>
      insertedUser(storage, { emailVerified: i % 2 === 0, metadata: { name: `Person ${i}`, list: ['?'] } }),
    );
    const [owner] = people;
    assert.ok(owner);
    const org = newOrg();
    const founder = { ...newMembership(org.id, owner.id), createdAt: after(times[0] ?? 0) };
    assert.equal(await storage.orgs.create(org, founder), 'created');
    await createdOrg(storage, owner.id);
    for (const [i, { id: userId }] of people.entries()) {
      const change = { orgId: org.id, userId, now: after(times[i] ?? 0) };
      if (i > 0) await storage.orgs.changeMember(change, () => 'member');
    }
    const position = ({ createdAt, userId: id }: { createdAt: Date; userId: string }) => ({ createdAt, id });
    await checkPages((range) => storage.orgs.listMembers(org.id, range), position);
    await checkPages((range) => storage.orgs.listMembersWithUsers(org.id, range), position);
    const shownOf = new Map(
      people.map(({ id, email, emailVerified, metadata }) => [
        id,
        { email: emailVerified ? email : null, metadata },
      ]),
    );
    const members = await storage.orgs.listMembers(org.id);
    assert.deepEqual(
      await storage.orgs.listMembersWithUsers(org.id),
      members.map((each) => ({ ...each, ...shownOf.get(each.userId) })),
    );
    for (const id of [randomUUID(), 'malformed']) {
      assert.deepEqual(await storage.orgs.listMembersWithUsers(id), []);
    }
  });

  test('listForUserWithOrgs returns pages of memberships with their organizations', async (storage) => {
    const user = await insertedUser(storage);
    const orgs = await inParallel(times.length, async (i) => {
      const org = newOrg({ name: `Organization ${i}`, metadata: { i } });
      const founder = { ...newMembership(org.id, user.id), createdAt: after(times[i] ?? 0) };
      assert.equal(await storage.orgs.create(org, founder), 'created');
      return org;
    });
    await checkPages(
      (range) => storage.orgs.listForUser(user.id, range),
      ({ createdAt, orgId }) => ({ createdAt, id: orgId }),
    );
    await checkPages(
      (range) => storage.orgs.listForUserWithOrgs(user.id, range),
      ({ membership: { createdAt, orgId } }) => ({ createdAt, id: orgId }),
    );
    const orgOf = new Map(orgs.map((org) => [org.id, org]));
    assert.deepEqual(
      await storage.orgs.listForUserWithOrgs(user.id),
      (await storage.orgs.listForUser(user.id)).map((membership) => ({
        org: orgOf.get(membership.orgId),
        membership,
      })),
    );
    assert.deepEqual(await storage.orgs.listForUserWithOrgs('malformed'), []);
  });

  test('findForMember returns the organization of a member by id and by slug', async (storage) => {
    const [owner, stranger] = [await insertedUser(storage), await insertedUser(storage)];
    const org = await createdOrg(storage, owner.id);
    await createdOrg(storage, stranger.id);
    const found = { org, membership: newMembership(org.id, owner.id) };
    assert.deepEqual(await storage.orgs.findForMember(org.id, owner.id), found);
    assert.deepEqual(await storage.orgs.findForMember(org.slug, owner.id), found);
    for (const userId of [stranger.id, randomUUID(), 'malformed']) {
      assert.equal(await storage.orgs.findForMember(org.id, userId), null);
      assert.equal(await storage.orgs.findForMember(org.slug, userId), null);
    }
    for (const id of [randomUUID(), 'malformed', '', '\ud800', 'a\0b']) {
      assert.equal(await storage.orgs.findForMember(id, owner.id), null);
    }
  });

  test('listPendingInvites returns pages of invites, and findPendingInvite one by its address', async (storage) => {
    const owner = await insertedUser(storage);
    const [org, other] = [await createdOrg(storage, owner.id), await createdOrg(storage, owner.id)];
    for (const time of times) await storedInvite(storage, org.id, { createdAt: after(time) });
    await storedInvite(storage, org.id, { expiresAt: after(9) });
    const elsewhere = await storedInvite(storage, other.id);
    await checkPages(
      (range) => storage.orgs.listPendingInvites(org.id, after(9), range),
      (invite) => invite,
    );
    for (const invite of await storage.orgs.listPendingInvites(org.id, now)) {
      const { email, expiresAt } = invite;
      assert.deepEqual(await storage.orgs.findPendingInvite(org.id, email, now), invite);
      assert.equal(await storage.orgs.findPendingInvite(org.id, email, expiresAt), null);
      assert.equal(await storage.orgs.findPendingInvite(other.id, email, now), null);
    }
    for (const odd of ['nobody@example.test', '', '\ud800', elsewhere.invite.email]) {
      assert.equal(await storage.orgs.findPendingInvite(org.id, odd, now), null);
    }
    assert.equal(await storage.orgs.findPendingInvite('malformed', elsewhere.invite.email, now), null);
  });
}
