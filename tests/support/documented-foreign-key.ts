/** Runs the snippet of docs/adapters.md that creates a table with a foreign key to `svc_users`. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import { readDocuments } from '../architecture/documents.js';
import { repository } from '../architecture/source-graph.js';
import { createSharedDatabase, type SharedStorage } from './databases.js';
import { openKnex } from './open-knex.js';
import { openStorage } from './open-storage.js';

interface Snippet {
  createNotes: (knex: Knex, database: string) => Promise<void>;
}

export function describeDocumentedForeignKey(name: SharedStorage): void {
  it(`a table with the documented foreign key to svc_users keeps rows of users only on ${name}`, async () => {
    const { url, drop } = await createSharedDatabase(name);
    const storage = openStorage(url);
    await storage.init();
    const knex = await openKnex(url);
    const { createNotes } = await loadSnippet('notes.ts');

    await createNotes(knex, name === 'MariaDB' ? await serverName(knex) : name);

    const id = randomUUID();
    const user = { id, email: 'ada@example.com', emailVerified: true, passwordHash: null, metadata: {} };
    await storage.users.insert({ ...user, createdAt: new Date('2031-05-06T07:08:09.123Z') });
    await knex('notes').insert({ user_id: id, content: 'of a user' });
    await expect(knex('notes').insert({ user_id: randomUUID(), content: 'of no user' })).rejects.toThrow(
      /foreign key/i,
    );
    expect(await knex('notes').select('user_id', 'content')).toEqual([{ user_id: id, content: 'of a user' }]);
    await knex('svc_users').where({ id }).delete();
    expect(await knex('notes').select('user_id')).toEqual([]);
    await knex.destroy();
    await storage.close();
    await drop();
  });
}

/** MYSQL_URL may be either. */
async function serverName(knex: Knex): Promise<string> {
  const { version } = await knex.first<{ version: string }>(knex.raw('version() as version'));
  return version.includes('MariaDB') ? 'MariaDB' : 'MySQL';
}

/** Imports the snippet of docs/adapters.md that begins with a comment of this name. */
async function loadSnippet(name: string): Promise<Snippet> {
  const fences = readDocuments().flatMap(({ fences }) => fences);
  const snippet = fences.find(({ code }) => code.startsWith(`// ${name}\n`));
  if (!snippet) throw new Error(`The documents have no snippet that begins with // ${name}`);
  // Inside the repository, where packages are found; ignored by git.
  await mkdir(path.join(repository, '.data'), { recursive: true });
  const folder = await mkdtemp(path.join(repository, '.data/foreign-key-'));
  const file = path.join(folder, name);
  await writeFile(file, snippet.code);
  try {
    return (await import(file)) as Snippet;
  } finally {
    await rm(folder, { recursive: true });
  }
}
