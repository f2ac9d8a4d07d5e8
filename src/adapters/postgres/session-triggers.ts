/**
 * The triggers that announce changes of sessions and users (migrations/0008-session-changes.ts). They
 * are disabled until a process needs them: of the transactions that send notifications, PostgreSQL
 * commits one at a time.
 */
import type { Database } from './database.js';

/** The channel of the triggers. */
export const changesChannel = 'svc_session_changes';

const triggers = [
  'svc_users_changed',
  'svc_users_deleted',
  'svc_sessions_revoked',
  'svc_sessions_deleted',
  'svc_sessions_truncated',
];

const areEnabled = `
  (select count(*) from pg_trigger
    where tgrelid in (cast('svc_users' as regclass), cast('svc_sessions' as regclass))
      and tgname = any(cast(:triggers as text[])) and tgenabled in ('O', 'A')) = ${triggers.length}`;

const findEnabled = `select ${areEnabled} as are_enabled`;

// Waits for transactions that have written to the tables. New ones wait for it, so not for long.
const limitLocks = `set local lock_timeout = 300`;
const enable = ['svc_users', 'svc_sessions'].map((table) => {
  const own = triggers.filter((trigger) => trigger.startsWith(table));
  return `alter table ${table} ${own.map((trigger) => `enable trigger ${trigger}`).join(', ')}`;
});

// Changes before this transaction were not announced.
const announceAll = `select pg_notify('${changesChannel}', '*')`;

/** Announces a lockdown of everyone, when its transaction commits. */
export const announceLockdown = announceAll;

// The triggers are proven with the connection.
const notify = `select pg_notify(:channel, :payload) where ${areEnabled}`;

interface SessionTriggers {
  /** Requires the owner of the tables, unless the triggers are enabled. Rejects if the tables are in use for 0.3 s. */
  enableTriggers: () => Promise<void>;
  /** Sends a notification if the triggers are enabled. */
  notify: (channel: string, payload: string) => Promise<boolean>;
}

export function sessionTriggers(db: Database): SessionTriggers {
  return {
    async enableTriggers() {
      const [isDone] = await db.query(
        findEnabled,
        { triggers },
        (row: { are_enabled: boolean }) => row.are_enabled,
      );
      if (isDone) return;
      await db.transaction(async (transaction) => {
        await transaction.execute(limitLocks, {});
        for (const statement of enable) await transaction.execute(statement, {});
        await transaction.execute(announceAll, {});
      });
    },
    async notify(channel, payload) {
      return (await db.query(notify, { channel, payload, triggers }, () => true)).length === 1;
    },
  };
}
