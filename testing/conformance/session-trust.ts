/** The trusted browser in which a session was started, and what ends the trust in it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { insertedCredential } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  newSession,
  now,
  type RegisterConformanceTest,
  startedSession,
  testsRequiring,
  type With,
} from './suite.js';
import { newBrowser, trusted } from './trusted-browsers.js';

type Storage = With<'trustedBrowsers'>;

async function trustedIds({ trustedBrowsers }: Storage, userId: string): Promise<string[]> {
  return (await trustedBrowsers.list(userId, now)).map(({ id }) => id);
}

export function describeSessionTrust(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'trustedBrowsers');
  const testPasskeys = testsRequiring(register, 'trustedBrowsers', 'credentials');

  async function sessionIn(storage: Storage, userId: string, trustedBrowserId: string): Promise<string> {
    const session = newSession(userId);
    assert.equal(await storage.sessions.start(session, 0, trustedBrowserId), true);
    return session.id;
  }

  test('revoke ends the trust in the browser of the session only', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const [first, second] = [await trusted(storage, userId), await trusted(storage, userId)];
    const session = await sessionIn(storage, userId, first.id);
    const { id: other } = await startedSession(storage, userId);
    assert.deepEqual(await storage.sessions.revoke(other, now), {
      userId,
      trustedBrowserId: null,
      others: [],
    });
    assert.equal((await trustedIds(storage, userId)).length, 2);
    const revoked = await storage.sessions.revoke(session, now, userId);
    assert.deepEqual(revoked, { userId, trustedBrowserId: first.id, others: [] });
    assert.deepEqual(await trustedIds(storage, userId), [second.id]);
  });

  test('revoke ends the trust of a session that was started within a limit', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const browser = await trusted(storage, userId);
    const session = newSession(userId);
    assert.ok(await storage.sessions.startWithin(session, 0, { max: 3 }, browser.id));
    const revoked = await storage.sessions.revoke(session.id, now);
    assert.deepEqual(revoked, { userId, trustedBrowserId: browser.id, others: [] });
    assert.deepEqual(await trustedIds(storage, userId), []);
  });

  test('revoke does not report a browser whose trust has already ended', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const [removed, outdated] = [await trusted(storage, userId), await trusted(storage, userId)];
    const [first, second] = [
      await sessionIn(storage, userId, removed.id),
      await sessionIn(storage, userId, outdated.id),
    ];
    assert.equal(await storage.trustedBrowsers.revoke(userId, removed.id), true);
    assert.deepEqual(await storage.sessions.revoke(first, now), {
      userId,
      trustedBrowserId: null,
      others: [],
    });
    assert.equal(await storage.sessions.revokeAll(userId, now), true);
    const started = newSession(userId);
    assert.equal(await storage.sessions.start(started, 1, outdated.id), true);
    assert.deepEqual(await storage.sessions.revoke(started.id, now), {
      userId,
      trustedBrowserId: null,
      others: [],
    });
    assert.equal(await storage.sessions.revoke(second, now), null);
  });

  test('revoke also revokes the other sessions of the same browser, and no session of another', async (storage) => {
    const [mine, other] = [await insertedUser(storage), await insertedUser(storage)];
    const browser = await trusted(storage, mine.id);
    const older = await sessionIn(storage, mine.id, browser.id);
    const newer = await sessionIn(storage, mine.id, browser.id);
    const signedOut = await sessionIn(storage, mine.id, browser.id);
    await storage.sessions.end(signedOut, now);
    const elsewhere = await sessionIn(storage, mine.id, (await trusted(storage, mine.id)).id);
    const theirs = await sessionIn(storage, other.id, browser.id);
    assert.deepEqual(await storage.sessions.revoke(newer, now), {
      userId: mine.id,
      trustedBrowserId: browser.id,
      others: [older],
    });
    const left = (await storage.sessions.listLive(mine.id, now)).map(({ id }) => id);
    assert.deepEqual(left, [elsewhere]);
    assert.equal((await storage.sessions.listLive(other.id, now))[0]?.id, theirs);
    assert.equal(await storage.sessions.revoke(older, now), null);
  });

  test('the sessions of one browser are ended together after the trust in it has ended, too', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const browser = await trusted(storage, userId);
    const [older, newer] = [
      await sessionIn(storage, userId, browser.id),
      await sessionIn(storage, userId, browser.id),
    ];
    await storage.trustedBrowsers.revoke(userId, browser.id);
    const revoked = await storage.sessions.revoke(newer, now);
    assert.deepEqual(revoked, { userId, trustedBrowserId: null, others: [older] });
  });

  test('listBrowsers returns the newest active session of each trusted browser, and every other session', async (storage) => {
    const [{ id: userId }, other] = [await insertedUser(storage), await insertedUser(storage)];
    const browser = await trusted(storage, userId);
    const start = async (time: number, overrides = {}, id = browser.id, owner = userId) => {
      const session = newSession(owner, { createdAt: after(time), ...overrides });
      assert.equal(await storage.sessions.start(session, 0, id), true);
      return session;
    };
    await start(1);
    const newest = await start(3);
    await start(4, { expiresAt: now });
    await storage.sessions.end((await start(5)).id, now);
    await start(6, {}, browser.id, other.id);
    const plain = await startedSession(storage, userId, { createdAt: after(2) });
    const second = await startedSession(storage, userId, { createdAt: after(7) });
    const sameTime = await trusted(storage, userId);
    const [low, high] = [await start(8, {}, sameTime.id), await start(8, {}, sameTime.id)];
    const last = low.id > high.id ? low : high;
    const expected = [
      { ...last, trustedBrowserId: sameTime.id },
      { ...second, trustedBrowserId: null },
      { ...newest, trustedBrowserId: browser.id },
      { ...plain, trustedBrowserId: null },
    ];
    const { sessions } = storage;
    assert.deepEqual(await sessions.listBrowsers(userId, now), expected);
    const { createdAt, id } = second;
    assert.deepEqual(await sessions.listBrowsers(userId, now, { after: { createdAt, id }, limit: 1 }), [
      expected[2],
    ]);
  });

  test('the list of trusted browsers says in which of them a session is active', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const [first, second, third] = [
      await trusted(storage, userId, { createdAt: after(3) }),
      await trusted(storage, userId, { createdAt: after(2) }),
      await trusted(storage, userId, { createdAt: after(1) }),
    ];
    await sessionIn(storage, userId, first.id);
    await storage.sessions.end(await sessionIn(storage, userId, second.id), now);
    const listed = await storage.trustedBrowsers.list(userId, now);
    assert.deepEqual(
      listed.map(({ id, isSignedIn }) => [id, isSignedIn]),
      [
        [first.id, true],
        [second.id, false],
        [third.id, false],
      ],
    );
  });

  test('end revokes a session once, and keeps the trust in its browser', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const browser = await trusted(storage, userId);
    const session = await sessionIn(storage, userId, browser.id);
    assert.deepEqual(
      [await storage.sessions.end(session, now), await storage.sessions.end(session, now)],
      [userId, null],
    );
    for (const id of [randomUUID(), '', 'x']) assert.equal(await storage.sessions.end(id, now), null);
    assert.equal((await storage.sessions.findWithUser(session))?.session.revokedAt?.getTime(), now.getTime());
    assert.equal(await storage.sessions.revoke(session, now), null);
    assert.deepEqual(await trustedIds(storage, userId), [browser.id]);
  });

  test('revoke by another user, and of a session that names the browser of another user, ends no trust', async (storage) => {
    const [mine, other] = [await insertedUser(storage), await insertedUser(storage)];
    const [browser, theirs] = [await trusted(storage, mine.id), await trusted(storage, other.id)];
    const session = await sessionIn(storage, mine.id, browser.id);
    assert.equal(await storage.sessions.revoke(session, now, other.id), null);
    const stranger = await sessionIn(storage, mine.id, theirs.id);
    const revoked = await storage.sessions.revoke(stranger, now);
    assert.deepEqual(revoked, { userId: mine.id, trustedBrowserId: null, others: [] });
    assert.deepEqual(await trustedIds(storage, mine.id), [browser.id]);
    assert.deepEqual(await trustedIds(storage, other.id), [theirs.id]);
  });

  test('a browser that is trusted again stays tied to its earlier sessions', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const browser = await trusted(storage, userId);
    const session = await sessionIn(storage, userId, browser.id);
    await storage.trustedBrowsers.insert(newBrowser(userId), [browser.secretHash]);
    const revoked = await storage.sessions.revoke(session, now);
    assert.deepEqual(revoked, { userId, trustedBrowserId: browser.id, others: [] });
    assert.deepEqual(await trustedIds(storage, userId), []);
  });

  test('no trust stays if a session is revoked while its browser is trusted again', async (storage) => {
    await inParallel(20, async () => {
      const { id: userId } = await insertedUser(storage);
      const browser = await trusted(storage, userId);
      const session = await sessionIn(storage, userId, browser.id);
      const renewed = newBrowser(userId);
      const [inserted, revoked] = await Promise.all([
        storage.trustedBrowsers.insert(renewed, [browser.secretHash]),
        storage.sessions.revoke(session, now),
      ]);
      assert.equal(revoked?.userId, userId);
      // The browser that is trusted after the revocation is a new one, with another id.
      const left = await trustedIds(storage, userId);
      assert.deepEqual(left, inserted?.id === browser.id ? [] : [renewed.id]);
    });
  });

  test('a browser that is removed while it is trusted again has no trust, or a new id', async (storage) => {
    await inParallel(20, async () => {
      const { id: userId } = await insertedUser(storage);
      const browser = await trusted(storage, userId);
      const renewed = newBrowser(userId);
      await Promise.all([
        storage.trustedBrowsers.insert(renewed, [browser.secretHash]),
        storage.trustedBrowsers.revoke(userId, browser.id),
      ]);
      const left = await trustedIds(storage, userId);
      assert.equal(left.includes(browser.id), false);
    });
  });

  test('only one of 50 parallel revocations and sign-outs ends a session', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const session = await sessionIn(storage, userId, (await trusted(storage, userId)).id);
    const ended = await Promise.all([
      inParallel(25, () => storage.sessions.revoke(session, now)),
      inParallel(25, () => storage.sessions.end(session, now)),
    ]);
    assert.equal(ended.flat().filter((result) => result !== null).length, 1);
  });

  testPasskeys('a browser is trusted by a passkey only while its user has the passkey', async (storage) => {
    const [mine, other] = [await insertedUser(storage), await insertedUser(storage)];
    const [passkey, theirs] = [
      await insertedCredential(storage, mine.id),
      await insertedCredential(storage, other.id),
    ];
    const insert = (credentialId: string) =>
      storage.trustedBrowsers.insert(newBrowser(mine.id), [], credentialId);
    for (const id of [theirs.id, randomUUID(), '', '\u0000']) assert.equal(await insert(id), null);
    assert.notEqual(await insert(passkey.id), null);
    assert.equal(await storage.credentials.remove(mine.id, passkey.id), true);
    assert.equal(await insert(passkey.id), null);
  });

  testPasskeys(
    'no browser that a passkey has trusted stays when the passkey is removed at the same time',
    async (storage) => {
      await inParallel(20, async () => {
        const { id: userId } = await insertedUser(storage);
        const passkey = await insertedCredential(storage, userId);
        const trust = () => storage.trustedBrowsers.insert(newBrowser(userId), [], passkey.id);
        const [removed] = await Promise.all([
          storage.credentials.remove(userId, passkey.id),
          trust(),
          trust(),
          trust(),
        ]);
        assert.equal(removed, true);
        assert.deepEqual(await trustedIds(storage, userId), []);
      });
    },
  );
}
