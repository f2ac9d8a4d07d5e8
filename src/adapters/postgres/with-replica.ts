/** Connects the replica of session checks (replica.ts) with the repositories. */
import type { Knex } from 'knex';
import type { StorageWarning } from '../../storage/warning.js';
import {
  reportingRepositories,
  type SessionChangingRepositories,
} from '../../storage/session-changing-methods.js';
import { database, type Database } from './database.js';
import { SessionReplica } from './replica.js';
import { sessionQueries } from './sessions.js';
import type { Statements } from './statements.js';

export function replicaOf(
  primary: Database,
  { source, maxStaleMs }: { source: { open: () => Promise<Knex> }; maxStaleMs: number },
  statements: () => Promise<Statements>,
  warn: StorageWarning,
): SessionReplica {
  const replica = database({ open: source.open, statements, warn });
  const { findWithUser } = sessionQueries(replica);
  return new SessionReplica(primary, replica, findWithUser, maxStaleMs);
}

/** Returns the repositories with a replica for session checks, which notes the changes that they make. */
export function withReplica<Adapter extends SessionChangingRepositories>(
  repositories: Adapter,
  replica: SessionReplica,
): Adapter {
  const noting = reportingRepositories(repositories, (ids) => replica.note(ids));
  const findOnReplica = (sessionId: string) => replica.find(sessionId);
  return { ...repositories, ...noting, sessions: { ...noting.sessions, findOnReplica } };
}
