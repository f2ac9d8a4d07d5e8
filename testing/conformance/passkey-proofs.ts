/** The first passkey of an account whose unverified address has been proven: `credentials.insertWithProof`. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CredentialProof } from '../../src/storage/second-factor-repositories.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import type { StoredUser } from '../../src/domain/user.js';
import { equippedUser, everything, nothing, remains } from './equipment.js';
import { insertedCredential, newCredential } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  tally,
  testsRequiring,
} from './suite.js';

function proofOf({ email, epoch }: StoredUser, overrides: Partial<CredentialProof> = {}): CredentialProof {
  return {
    email: email ?? '',
    epoch,
    keepsAccount: false,
    username: null,
    metadata: {},
    now: after(5),
    ...overrides,
  };
}

const nameOf = (label: string) => ({ name: label, key: label.toLowerCase() });

async function foundUser({ users }: StorageAdapter, id: string): Promise<StoredUser> {
  return (await users.findById(id)) ?? assert.fail('no user');
}

export function describePasskeyProofs(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'credentials');
  const testNames = testsRequiring(register, 'credentials', 'userAdministration');

  test('insertWithProof claims the account, and the passkey is all that it has', async (storage) => {
    const equipment = await equippedUser(storage);
    const { user } = equipment;
    const before = await foundUser(storage, user.id);
    const credential = newCredential(user.id);
    const proof = proofOf(user, { metadata: { plan: 'pro' } });
    const outcome = await storage.credentials.insertWithProof(credential, proof);
    assert.deepEqual(await remains(storage, equipment), { ...nothing, passkeys: 1 });
    assert.deepEqual(await storage.credentials.listForUser(user.id), [credential]);
    const claimed = await foundUser(storage, user.id);
    assert.deepEqual(outcome, { status: 'inserted', user: claimed });
    assert.deepEqual(claimed, {
      ...before,
      emailVerified: true,
      passwordHash: null,
      totpEnabled: false,
      metadata: { ...before.metadata, plan: 'pro' },
      epoch: user.epoch + 1,
      sessionsValidAfter: after(5),
      updatedAt: after(5),
    });
  });

  test('insertWithProof keeps everything for the session of the account', async (storage) => {
    const equipment = await equippedUser(storage);
    const { user } = equipment;
    const credential = newCredential(user.id);
    const proof = proofOf(user, { keepsAccount: true, metadata: { plan: 'pro' } });
    const outcome = await storage.credentials.insertWithProof(credential, proof);
    assert.equal(outcome.status, 'inserted');
    const proven = await foundUser(storage, user.id);
    const metadata = { ...user.metadata, plan: 'pro' };
    assert.deepEqual(proven, { ...user, emailVerified: true, metadata, updatedAt: after(5) });
    assert.deepEqual(await remains(storage, equipment), { ...everything(storage), passkeys: 2 });
  });

  test('insertWithProof changes nothing unless the user has the unverified address and the epoch', async (storage) => {
    const verified = await insertedUser(storage, { emailVerified: true });
    const user = await insertedUser(storage, { passwordHash: 'old' });
    const refused: [StoredUser, Partial<CredentialProof>][] = [
      [verified, {}],
      [user, { epoch: 1 }],
      [user, { email: `${randomUUID()}@example.test` }],
      [{ ...user, id: randomUUID() }, {}],
    ];
    for (const [owner, overrides] of refused) {
      const credential = newCredential(owner.id);
      const outcome = await storage.credentials.insertWithProof(credential, proofOf(owner, overrides));
      assert.deepEqual(outcome, { status: 'no_user' });
      assert.equal(await storage.credentials.findWithUser(credential.id), null);
    }
    assert.deepEqual(await foundUser(storage, user.id), user);
    assert.deepEqual(await foundUser(storage, verified.id), verified);
  });

  test('insertWithProof changes nothing if the passkey exists, also as one of the account', async (storage) => {
    const [user, other] = [await insertedUser(storage, { passwordHash: 'old' }), await insertedUser(storage)];
    for (const owner of [other, user]) {
      const taken = await insertedCredential(storage, owner.id);
      const credential = newCredential(user.id, { id: taken.id, publicKey: 'forged' });
      const outcome = await storage.credentials.insertWithProof(credential, proofOf(user));
      assert.deepEqual(outcome, { status: 'taken' });
      assert.deepEqual((await storage.credentials.findWithUser(taken.id))?.credential, taken);
    }
    assert.deepEqual(await foundUser(storage, user.id), user);
  });

  testNames('insertWithProof sets the user name, or changes nothing if it is taken', async (storage) => {
    const label = `Ada${randomUUID().slice(0, 8)}`;
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    const named = proofOf(user, { username: nameOf(label) });
    const first = await storage.credentials.insertWithProof(newCredential(user.id), named);
    assert.equal(first.status, 'inserted');
    const administered = await storage.userAdministration.find({ usernameKey: label.toLowerCase() });
    assert.deepEqual([administered?.id, administered?.username], [user.id, label]);
    const credential = newCredential(other.id);
    const proof = proofOf(other, { username: nameOf(label.toUpperCase()) });
    const second = await storage.credentials.insertWithProof(credential, proof);
    assert.deepEqual(second, { status: 'username_taken' });
    assert.deepEqual(await foundUser(storage, other.id), other);
    assert.equal(await storage.credentials.findWithUser(credential.id), null);
  });

  testNames('insertWithProof keeps the user name if none is given', async (storage) => {
    const { id } = await insertedUser(storage);
    const username = nameOf(`Bob${randomUUID().slice(0, 8)}`);
    await storage.userAdministration.update(id, now, () => ({ username }));
    const user = await foundUser(storage, id);
    const outcome = await storage.credentials.insertWithProof(newCredential(id), proofOf(user));
    assert.equal(outcome.status, 'inserted');
    assert.equal((await storage.userAdministration.find({ id }))?.username, username.name);
  });

  test('only one of 50 parallel proofs of an account, and one of an account or a claim, succeeds', async (storage) => {
    const user = await insertedUser(storage);
    const outcomes = await inParallel(50, () =>
      storage.credentials.insertWithProof(newCredential(user.id), proofOf(user)),
    );
    assert.deepEqual(tally(outcomes.map(({ status }) => status)), { inserted: 1, no_user: 49 });
    assert.equal((await storage.credentials.listForUser(user.id)).length, 1);
    await inParallel(10, async () => {
      const owner = await insertedUser(storage);
      const [proof, claimed] = await Promise.all([
        storage.credentials.insertWithProof(newCredential(owner.id), proofOf(owner)),
        storage.users.claim(owner.id, now),
      ]);
      const passkeys = await storage.credentials.listForUser(owner.id);
      assert.equal(passkeys.length, proof.status === 'inserted' ? 1 : 0);
      assert.equal(claimed === null, proof.status === 'inserted');
      assert.equal((await foundUser(storage, owner.id)).epoch, 1);
    });
  });
}
