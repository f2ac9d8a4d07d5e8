/** What `svc-auth migrate` and `svc-auth grants` do with the schema of a database. Memory has none. */
import type { MigrationState } from './inspection.js';
import type { StorageWarning } from './warning.js';

export interface SchemaStatus extends MigrationState {
  /** Names of the migrations that have been applied, oldest first. */
  applied: string[];
  /** Names of the indexes that `init()` would create or build again. */
  missingIndexes: string[];
}

/** A lock that a statement takes on a table that other transactions may be using. */
export interface StatementLock {
  table: string;
  /** As the database names it. */
  mode: string;
  /** What waits for the lock, and for how long. */
  effect: string;
}

/** A statement that `init()` would run. */
export interface PlannedStatement {
  /** Name of the migration, or of the index. */
  step: string;
  /** Complete, without a semicolon at the end. */
  sql: string;
  locks: StatementLock[];
  /** Whether it runs in one transaction with the other statements of its step. */
  inTransaction: boolean;
}

export interface SchemaPlan {
  statements: PlannedStatement[];
  /** The rights that the role of this connection needs for the statements, as grants or sentences. */
  needs: string[];
  /** Those of them that it does not have. Null if the database cannot be asked. */
  lacks: string[] | null;
}

/** Names of roles that rights are granted to. */
export interface GrantedRoles {
  /** The role of a service that calls `init({ migrate: false })`. */
  service?: string | undefined;
  /** The role of the application itself, which reads users and refers to them. */
  application?: string | undefined;
  /** The role that creates the application's tables, whose foreign keys refer to users. */
  owner?: string | undefined;
}

/** Statements that grant rights, and what they do not say. */
export interface SchemaGrants {
  statements: string[];
  notes: string[];
}

export interface SchemaAdministration {
  status(): Promise<SchemaStatus>;
  /** Returns what `apply` would do now. Changes nothing. */
  plan(): Promise<SchemaPlan>;
  /** Does what `init()` does to the schema, under the same lock. @param report receives the name of each step before it runs. */
  apply(options: { warn: StorageWarning; report: (step: string) => void }): Promise<void>;
  /** @throws ConfigError if the name of a role is invalid, or the database has no roles. */
  grants(roles: GrantedRoles): Promise<SchemaGrants>;
}
