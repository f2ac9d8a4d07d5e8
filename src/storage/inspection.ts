/** What `service.diagnose()` and `service.health()` read about a database. No method writes to a table. */

/** How the schema differs from the one that this release expects. */
export interface MigrationState {
  /** Names of migrations that `init()` would apply. */
  missing: string[];
  /** Ids of applied migrations that this release does not know: a newer release has applied them. */
  unknown: number[];
}

/** The sizes that a pool of connections depends on. */
export interface ConnectionLimits {
  /** The maximum of the adapter's pool. */
  pool: number;
  /** The maximum of the server, for all of its clients. Null if it cannot be read. */
  server: number | null;
}

/** What a pooler between the adapter and the server does to connections. */
export interface PoolerBehavior {
  /** Whether transactions of one connection run on different connections of the server. */
  sharesConnections: boolean;
  /** Whether a statement that was prepared earlier can be executed. Null if that could not be observed. */
  keepsPreparedStatements: boolean | null;
}

export interface StorageInspection {
  /** True if the data is lost when the process ends. */
  readonly isTemporary?: boolean;
  migrations(): Promise<MigrationState>;
  /** Returns the names of the indexes of this release that are missing, or that the database cannot use. */
  missingIndexes(): Promise<string[]>;
  /** Returns the names of the tables with rows that were expired or revoked at `before`, which a purge would have removed. */
  unpurged(before: Date): Promise<string[]>;
  /** Whether the role of the connections is a superuser, which no grant limits. Absent if the database has no such roles. */
  isSuperuser?(): Promise<boolean>;
  /** Absent without a pool whose size matters. */
  connections?(): Promise<ConnectionLimits>;
  /** Uses two connections of the pool. Null with a pool of one. Absent if no pooler is possible. */
  pooler?(): Promise<PoolerBehavior | null>;
  /** Whether a notification arrives on a connection that listens, within the time. Absent if the adapter listens to none. */
  hearsNotifications?(timeoutMs: number): Promise<boolean>;
}
