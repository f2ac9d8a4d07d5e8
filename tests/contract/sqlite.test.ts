import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteAdapter } from '../../src/adapters/portable/sqlite-adapter.js';
import { describeStorageAdapter } from '../../testing/storage-conformance.js';

// In memory if there is such a folder: the adapter writes to the disk at every commit.
const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(parent, 'svc-auth-sqlite-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describeStorageAdapter('sqliteAdapter', () => sqliteAdapter(join(folder, 'not', 'there', 'yet.db')));
