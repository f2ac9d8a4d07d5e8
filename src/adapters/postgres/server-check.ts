/** Checks at `init()` that the adapter can work on the database. Each error says how to fix it. */
import { ConfigError } from '../../errors/catalog.js';
import type { Database } from './database.js';

const settings = `
  select current_setting('server_version_num') as version, current_setting('server_encoding') as server_encoding,
    current_setting('client_encoding') as client_encoding, to_regnamespace(:schema) is not null as has_schema`;

interface Settings {
  version: string;
  server_encoding: string;
  client_encoding: string;
  has_schema: boolean;
}

const oldestVersion = 14;

/** @throws ConfigError that lists all faults. */
export async function checkServer(db: Database): Promise<void> {
  const schema = await db.schema();
  const [current] = await db.query(settings, { schema }, (row: Settings) => row);
  const messages = current ? faultsOf(current, schema) : [];
  if (messages.length > 0) throw new ConfigError(messages.map((message) => ({ path: 'adapter', message })));
}

function faultsOf(
  { version, server_encoding, client_encoding, has_schema }: Settings,
  schema: string,
): string[] {
  const major = Math.floor(Number(version) / 10_000);
  const messages: string[] = [];
  if (major < oldestVersion) {
    messages.push(`requires PostgreSQL ${oldestVersion} or later; the server is version ${major}.`);
  }
  if (server_encoding !== 'UTF8') {
    messages.push(
      `requires a database with the encoding UTF8, not ${server_encoding}: create one with "encoding 'UTF8' template template0".`,
    );
  }
  if (client_encoding !== 'UTF8') {
    messages.push(
      `requires connections with the encoding UTF8, not ${client_encoding}: do not set client_encoding.`,
    );
  }
  if (!has_schema) messages.push(`requires the schema ${schema}, which does not exist: create it first.`);
  return messages;
}
