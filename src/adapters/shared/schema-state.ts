/** Compares a schema with the migrations of this release. */
import type { MigrationState } from '../../storage/inspection.js';

interface KnownMigration {
  id: number;
  name: string;
  statements: readonly string[];
  indexes?: readonly ({ create: string } | { drop: string })[];
}

/** @param applied null if no migration has been applied. */
export function migrationState(
  migrations: readonly KnownMigration[],
  applied: readonly number[] | null,
): MigrationState {
  const known = new Set(migrations.map(({ id }) => id));
  return {
    missing: migrations.flatMap(({ id, name }) => (applied?.includes(id) ? [] : [name])),
    unknown: applied?.filter((id) => !known.has(id)) ?? [],
  };
}

/** Returns the names of the indexes that exist after all migrations. */
export function expectedIndexes(migrations: readonly KnownMigration[]): string[] {
  const names = new Set<string>();
  const all = migrations.flatMap(({ statements }) => statements);
  for (const statement of all) {
    const created = /create (?:unique )?index (?:if not exists )?(svc_\w+)/.exec(statement)?.[1];
    const dropped = /drop index (?:if exists )?(svc_\w+)/.exec(statement)?.[1];
    if (created !== undefined) names.add(created);
    if (dropped !== undefined) names.delete(dropped);
  }
  // Applied after the statements of all migrations.
  for (const change of migrations.flatMap(({ indexes = [] }) => indexes)) {
    if ('create' in change) names.add(change.create);
    else names.delete(change.drop);
  }
  return [...names];
}
