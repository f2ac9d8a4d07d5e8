import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteAdapter } from '../../src/adapters/portable/sqlite-adapter.js';
import { describeStorageAdapter } from '../../testing/storage-conformance.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-auth-sqlite-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describeStorageAdapter('sqliteAdapter', () => sqliteAdapter(join(folder, 'not', 'there', 'yet.db')));
