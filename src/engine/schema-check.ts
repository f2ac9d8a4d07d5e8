/** Compares the schema with this release for a service that does not migrate. */
import { ConfigError } from '../errors/catalog.js';
import type { StorageAdapter } from '../storage/adapter.js';
import type { StorageWarning } from '../storage/warning.js';

/** Warns about indexes that are missing. @throws ConfigError if a migration is missing. */
export async function checkSchema({ inspection }: StorageAdapter, warn: StorageWarning): Promise<void> {
  if (!inspection) return;
  // A newer release only adds to the schema, so one that is ahead is accepted.
  const { missing } = await inspection.migrations();
  if (missing.length > 0) {
    const message = `the database lacks the migrations ${missing.join(', ')}: run "npx svc-auth migrate up" before the service starts, or call init() without \`migrate: false\`.`;
    throw new ConfigError([{ path: 'adapter', message }]);
  }
  const indexes = await inspection.missingIndexes();
  if (indexes.length === 0) return;
  warn(
    { event: 'indexes_missing', indexes },
    'Indexes are missing, so that statements read whole tables. Run "npx svc-auth migrate up".',
  );
}
