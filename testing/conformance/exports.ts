import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ExportedAccount } from '../../src/storage/export-repository.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { batchOf, newCredential, newKey, newMember, newRecord } from './imports.js';
import {
  after,
  insertedUser,
  newIdentity,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  type With,
} from './suite.js';

async function exportAll({ exports }: With<'exports'>, limit = 100): Promise<ExportedAccount[]> {
  const all: ExportedAccount[] = [];
  for (let last: string | null = null; ;) {
    const page: ExportedAccount[] = await exports.exportUsers(last, limit);
    assert.ok(page.length <= limit);
    all.push(...page);
    if (page.length < limit) return all;
    last = page.at(-1)!.user.id;
  }
}

async function exportOf(storage: StorageAdapter & With<'exports'>, id: string): Promise<ExportedAccount> {
  const found = (await exportAll(storage)).find(({ user }) => user.id === id);
  assert.ok(found);
  return found;
}

export function describeExports(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'exports', 'imports');

  test('exportUsers returns a user with everything that belongs to it', async (storage) => {
    const id = randomUUID();
    const apps = ['Phone', null, 'Tablet'].map((name, at) => ({
      ...{ id: randomUUID(), userId: id, name, secret: `sealed ${at} ${id}`, lastStep: 0 },
      ...{ createdAt: after(at), lastUsedAt: null },
    }));
    const [identity, credential] = [newIdentity(id), newCredential(id)];
    const keys = [
      newKey(id),
      { ...newKey(id), createdAt: after(1), keyDigest: null, secretHash: randomUUID() },
    ];
    const own = newMember(randomUUID(), 'owner');
    const other = { ...newMember(randomUUID(), 'member'), createdAt: after(2) };
    const record = newRecord(
      {
        id,
        username: { name: `Ada ${id}`, key: `ada ${id}` },
        blocked: { at: now, until: after(9), reason: 'abuse' },
        lastSignInAt: after(3),
        language: 'de',
        totpEnabled: true,
      },
      {
        identities: [identity],
        secondFactor: () => ({ apps, recoveryCodeHashes: ['b', 'a'], email: true }),
        credentials: [credential],
        apiKeys: keys,
        memberships: [own, other],
      },
    );
    await storage.imports.importUsers(batchOf([record, newRecord()]));
    const account = await exportOf(storage, id);
    assert.deepEqual(account.user, { ...record.user, username: `Ada ${id}`, isGuest: false });
    assert.deepEqual(account.identities, [identity]);
    assert.deepEqual(account.secondFactor, { apps, recoveryCodeHashes: ['a', 'b'], email: true });
    assert.deepEqual(account.credentials, [credential]);
    assert.deepEqual(account.apiKeys, keys);
    assert.deepEqual(
      account.memberships,
      [own, other].map(({ org, role, createdAt }) => {
        const { slugs, hasSlug: _, keepsId: __, ...stored } = org;
        return { org: { ...stored, slug: slugs[0], updatedAt: org.createdAt }, role, createdAt };
      }),
    );
  });

  test('exportUsers returns empty lists for a user who has nothing', async (storage) => {
    const { id } = await insertedUser(storage);
    const { user: _, ...rest } = await exportOf(storage, id);
    const none = { identities: [], credentials: [], apiKeys: [], memberships: [] };
    assert.deepEqual(rest, { ...none, secondFactor: null });
  });

  test('exportUsers returns every user once, in the order of ids', async (storage) => {
    const added = await Promise.all(Array.from({ length: 7 }, () => insertedUser(storage)));
    const all = (await exportAll(storage, 3)).map(({ user }) => user.id);
    assert.deepEqual(all, [...new Set(all)].sort());
    assert.ok(added.every(({ id }) => all.includes(id)));
    assert.deepEqual(await storage.exports.exportUsers(all.at(-1)!, 3), []);
  });
}
