/** Rows of a table of sessions: by functions of the application, or by a pool of `pg`. */
import type { OldSession } from '../core/sessions/session-source.js';
import { checkFunction } from './cookies.js';
import { hasMethod } from '../core/support/has-method.js';
import { refuseOption } from '../errors/options.js';

/** A pool or client of `pg`. */
export interface Queries {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface SessionLookup {
  /** A pool of `pg` to the former database, whose table has the names of the package. */
  pool?: Queries;
  /** Instead of `pool`: looks up the session of a token. Returns null if it does not exist or has ended. */
  findSession?: (token: string) => OldSession | null | Promise<OldSession | null>;
  /** Instead of `pool`: ends the session. */
  endSession?: (token: string) => unknown;
}

export interface SessionTable {
  find(token: string): Promise<OldSession | null>;
  end(token: string): Promise<void>;
}

/** Statements with one parameter, the token. `find` returns columns `user_id`, `expires_at` and, if there is one, `created_at`. */
interface Statements {
  find: string;
  end: string;
}

/** @throws ConfigError unless there is either a pool, or both functions. */
export function sessionTable(
  call: string,
  { pool, findSession, endSession }: SessionLookup,
  statements: Statements,
): SessionTable {
  if (pool === undefined) {
    checkFunction(`${call}.findSession`, findSession);
    checkFunction(`${call}.endSession`, endSession);
    return {
      find: async (token) => (await findSession?.(token)) ?? null,
      end: async (token) => void (await endSession?.(token)),
    };
  }
  if (!hasMethod(pool, 'query')) refuseOption(`${call}.pool`, 'must be a pool of pg');
  if (findSession ?? endSession)
    refuseOption(`${call}.findSession`, 'must be absent with pool, which finds and ends sessions');
  return {
    async find(token) {
      const { rows } = await pool.query(statements.find, [token]);
      const [row] = rows as { user_id: string | number; expires_at: Date; created_at?: Date }[];
      return row ? { user: row.user_id, expiresAt: row.expires_at, signedInAt: row.created_at } : null;
    },
    end: async (token) => void (await pool.query(statements.end, [token])),
  };
}
