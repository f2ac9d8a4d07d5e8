import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { begunTotp, confirmedTotp } from './pro-records.js';
import { insertedUser, type RegisterConformanceTest, testsRequiring } from './suite.js';
import { confirmed } from './totp.js';

export function describeReencryption(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'totp');

  test('reencrypt replaces one secret only, and only if it is still the one that was read', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const mine = await confirmedTotp(storage, user.id);
    const theirs = await confirmedTotp(storage, other.id);
    const before = await storage.users.findById(user.id);
    await storage.totp.reencrypt(user.id, theirs.secret, 'v2.stolen');
    await storage.totp.reencrypt(randomUUID(), mine.secret, 'v2.stolen');
    assert.deepEqual(await storage.totp.find(user.id), confirmed(mine));
    await storage.totp.reencrypt(user.id, mine.secret, 'v2.secret');
    assert.deepEqual(await storage.totp.find(user.id), { ...confirmed(mine), secret: 'v2.secret' });
    await storage.totp.reencrypt(user.id, mine.secret, 'v3.late');
    assert.equal(await storage.totp.advance(user.id, 'v2.secret', 1001, new Date()), true);
    assert.deepEqual(await storage.users.findById(user.id), before);
    assert.deepEqual(await storage.totp.find(other.id), confirmed(theirs));
  });

  test('listSecrets returns every confirmed secret without the prefix, page by page', async (storage) => {
    const users = [];
    for (let i = 0; i < 5; i += 1) users.push(await insertedUser(storage));
    const prefix = `${randomUUID()}.`;
    for (const { id } of users) {
      const { secret } = await confirmedTotp(storage, id);
      await storage.totp.reencrypt(id, secret, `%_${prefix}${id}`);
    }
    const [current, begun] = users;
    assert.ok(current && begun);
    await storage.totp.reencrypt(current.id, `%_${prefix}${current.id}`, `${prefix}${current.id}`);
    await begunTotp(storage, begun.id);
    const received: string[] = [];
    let after: string | null = null;
    for (;;) {
      const page: { userId: string; secret: string }[] = await storage.totp.listSecrets(prefix, after, 2);
      // The limit counts users, who may have several apps.
      assert.ok(new Set(page.map(({ userId }) => userId)).size <= 2);
      received.push(...page.filter(({ secret }) => secret.includes(prefix)).map(({ userId }) => userId));
      after = page.at(-1)?.userId ?? null;
      if (after === null) break;
    }
    const expected = users.filter((user) => user !== current).map(({ id }) => id);
    assert.deepEqual(received, expected.sort());
    assert.deepEqual(await storage.totp.listSecrets(prefix, null, 0), []);
  });

  test('countSecrets returns the number of confirmed secrets without the prefix', async (storage) => {
    const [user, begun] = [await insertedUser(storage), await insertedUser(storage)];
    const prefix = `${randomUUID()}.`;
    const before = await storage.totp.countSecrets(prefix);
    const { secret } = await confirmedTotp(storage, user.id);
    await begunTotp(storage, begun.id);
    assert.equal(await storage.totp.countSecrets(prefix), before + 1);
    await storage.totp.reencrypt(user.id, secret, `${prefix}${user.id}`);
    assert.equal(await storage.totp.countSecrets(prefix), before);
  });
}
