/** Reads a source as `svc-auth import` does, without a service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'libsql';
import { parseMap, providersOf } from '../../../src/cli/import/column-map.js';
import { CompanionFile } from '../../../src/cli/import/companion-file.js';
import { parseHashForm } from '../../../src/cli/import/hash-form.js';
import { MappedUsers, type Counts, type PlacedFault } from '../../../src/cli/import/mapped-users.js';
import { openSource, type OpenedSource } from '../../../src/cli/import/open-source.js';
import { sources } from '../../../src/cli/import/source-table.js';
import type { ImportedUser } from '../../../src/domain/imported-user.js';

export interface Collected {
  users: ImportedUser[];
  faults: PlacedFault[];
  counts: Counts;
  opened: OpenedSource;
}

export interface CollectOptions {
  database?: string;
  schema?: string;
  file?: string;
  hashes?: string;
  map?: string;
  hash?: string;
  secret?: string;
}

export async function collect(from: string, options: CollectOptions): Promise<Collected> {
  const { map, hash, secret = null, hashes, ...places } = options;
  const opened = await openSource({
    ...places,
    source: sources[from]!,
    map: map === undefined ? null : parseMap(map),
    hashForm: hash === undefined ? null : parseHashForm(hash),
  });
  const companion = hashes === undefined ? null : await CompanionFile.open(hashes, '_id');
  const faults: PlacedFault[] = [];
  const tools = { secret, hashForm: opened.hashForm, companion, providers: providersOf(opened.map) };
  const mapped = new MappedUsers(
    opened.records,
    opened.rules,
    tools,
    (fault) => faults.push(fault),
    Infinity,
  );
  const users: ImportedUser[] = [];
  try {
    for await (const user of mapped.users()) users.push(user);
  } finally {
    companion?.close();
    await opened.close();
  }
  return { users, faults, counts: mapped.counts, opened };
}

export interface Files {
  /** Writes a file and returns its path. */
  fileWith: (name: string, content: string | Buffer) => string;
  /** Creates an SQLite file and returns its path. */
  sqliteWith: (sql: string) => string;
  folder: string;
}

/** Creates a folder, which is removed after the tests of a file. */
export function useFiles(): Files {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-sources-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  return {
    folder,
    fileWith(name, content) {
      const file = path.join(folder, name);
      writeFileSync(file, content);
      return file;
    },
    sqliteWith(sql) {
      const file = path.join(folder, `old-${++count}.db`);
      const database = new Database(file);
      database.exec(sql);
      database.close();
      return file;
    },
  };
}
