/**
 * The methods of repositories that change a session or a user, and a decorator that reports what they
 * change, so that remembered sessions can be forgotten. Adapters that announce their own changes use
 * it, and the service uses it for a shared session cache.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { StorageAdapter } from './adapter.js';
import type { AuditRepository } from './audit-repository.js';

/** Returns the id of the session or the user that a call has changed; undefined if it has changed neither. */
type ChangedId<Method> = Method extends (...args: infer Args) => Promise<infer Result>
  ? (args: Args, result: Result | undefined) => string | readonly string[] | null | undefined
  : never;

/** Every method of a repository, so that a new one cannot be forgotten. */
type ChangedIds<Repository> = {
  [Name in keyof Required<Repository>]: ChangedId<Required<Repository>[Name]> | 'no change';
};

export type SessionChangingRepositories = Required<
  Pick<
    StorageAdapter,
    | 'users'
    | 'identities'
    | 'sessions'
    | 'sessionBindings'
    | 'guests'
    | 'refreshFamilies'
    | 'totp'
    | 'credentials'
    | 'accounts'
    | 'userAdministration'
    | 'imports'
    | 'lockdowns'
  >
>;

const noChange = 'no change';

/** The methods that change a session or a user. A method of another repository changes neither. */
const changedIds: {
  [Name in keyof SessionChangingRepositories]: ChangedIds<SessionChangingRepositories[Name]>;
} = {
  users: {
    insert: noChange,
    findById: noChange,
    findByEmail: noChange,
    markEmailVerified: ([id]) => id,
    claim: ([id]) => id,
    setFirstPassword: ([id]) => id,
    renewPasswordHash: noChange,
    // The account that has the address now may be another than when the link was mailed.
    resetPassword: (_args, result) => (result === undefined ? null : result?.user.id),
    changePassword: ([{ userId }]) => userId,
  },
  identities: {
    findUser: noChange,
    link: noChange,
    insertWithUser: noChange,
    listForUser: noChange,
    unlink: noChange,
  },
  sessions: {
    start: noChange,
    startWithUser: noChange,
    // Unless the call fails, and may have ended sessions that it cannot name. Null: it has ended none.
    startWithin: ([session], ended) => (ended === undefined ? session.userId : ended?.sessions),
    findWithUser: noChange,
    findOnReplica: noChange,
    findWithTarget: noChange,
    renew: noChange,
    end: ([id]) => id,
    // It may have ended other sessions, which it names unless it fails.
    revoke: ([id], revoked) => (revoked === undefined ? null : [id, ...(revoked?.others ?? [])]),
    revokeAll: ([userId]) => userId,
    // Also if the call fails: it may have been committed.
    revokeAllOnce: ([userId], user) => (user === null ? null : userId),
    revokeOthers: ([userId]) => userId,
    listLive: noChange,
    listBrowsers: noChange,
  },
  sessionBindings: {
    bind: ([id]) => id,
    inherit: ([, id]) => id,
    find: noChange,
  },
  refreshFamilies: {
    insert: noChange,
    // With a limit it ends sessions too.
    start: ([family], ended) => (ended === undefined ? family.userId : ended?.sessions),
    rotate: noChange,
    revoke: noChange,
    revokeAllForUser: noChange,
    findWithUser: noChange,
    listForUser: noChange,
    listLive: noChange,
  },
  guests: {
    insert: noChange,
    isGuest: noChange,
    upgrade: ([{ userId }]) => userId,
    listAbandoned: noChange,
    deleteAbandoned: (_args, ids) => ids ?? null,
    delete: ([userId]) => userId,
  },
  totp: {
    find: noChange,
    listApps: noChange,
    findFactors: noChange,
    savePending: noChange,
    confirm: ([{ userId }]) => userId,
    addApp: ([{ userId }]) => userId,
    renameApp: noChange,
    removeApp: ([userId]) => userId,
    setEmail: ([userId]) => userId,
    setPreferred: noChange,
    advance: noChange,
    listSecrets: noChange,
    countSecrets: noChange,
    reencrypt: noChange,
    replaceRecoveryCodes: ([userId]) => userId,
    consumeRecoveryCode: noChange,
    countRecoveryCodes: noChange,
    disable: ([userId]) => userId,
  },
  credentials: {
    insert: noChange,
    insertWithUser: noChange,
    insertWithProof: ([credential]) => credential.userId,
    findWithUser: noChange,
    listForUser: noChange,
    use: noChange,
    rename: noChange,
    remove: noChange,
  },
  accounts: {
    deleteUser: ([userId]) => userId,
    changeEmail: ([{ userId }]) => userId,
    setLanguage: ([userId]) => userId,
    listSessions: noChange,
  },
  userAdministration: {
    find: noChange,
    list: noChange,
    search: noChange,
    hasWordIndex: noChange,
    count: noChange,
    insert: noChange,
    update: ([userId]) => userId,
    setPassword: ([userId]) => userId,
    block: ([userId]) => userId,
    unblock: ([userId]) => userId,
  },
  imports: {
    // Of a renewed password, and of a merge, which may have claimed the account or added a second factor. Any of them, if it fails.
    importUsers: (_args, result) =>
      result === undefined
        ? null
        : result.outcomes.flatMap((each) =>
            each.status === 'merged' || each.status === 'renewed' ? [each.userId] : [],
          ),
  },
  lockdowns: {
    start: ([{ scope }]) => (typeof scope === 'object' && 'userId' in scope ? scope.userId : null),
  },
};

type AnyMethod = (...args: unknown[]) => Promise<unknown>;
type AnyChangedId = (args: unknown[], result: unknown) => string | readonly string[] | null | undefined;

/**
 * Receives the ids of the sessions and users that a call has changed. Null: any of them may have
 * changed. The method settles after the report.
 */
export type ReportChanges = (ids: readonly (string | null)[]) => void | Promise<void>;

/** The repositories that report: `audit`, because its transactions commit what other methods have changed. */
type ReportingRepositories = Partial<SessionChangingRepositories> & Pick<StorageAdapter, 'audit'>;

/**
 * Returns repositories whose methods report what they change before their promise settles, also if
 * they reject. Only the repositories of `source` that can change a session or a user are included.
 */
export function reportingRepositories<Source extends ReportingRepositories>(
  source: Source,
  report: ReportChanges,
): Pick<Source, keyof Source & keyof ReportingRepositories> {
  const inTransaction = new AsyncLocalStorage<(string | null)[]>();
  const reportNow: ReportChanges = (ids) => {
    inTransaction.getStore()?.push(...ids);
    return report(ids);
  };
  const reporting = Object.entries(changedIds).flatMap(([name, methods]): [string, object][] => {
    const repository = source[name as keyof SessionChangingRepositories];
    return repository ? [[name, reportingMethods(repository, methods, reportNow)]] : [];
  });
  const { audit } = source;
  const all = audit ? [...reporting, ['audit', reportingAudit(audit, inTransaction, report)]] : reporting;
  return Object.fromEntries(all) as Pick<Source, keyof Source & keyof ReportingRepositories>;
}

/** Until the commit, others have read what was there before: what was changed is reported again after it. */
function reportingAudit(
  audit: AuditRepository,
  inTransaction: AsyncLocalStorage<(string | null)[]>,
  report: ReportChanges,
): AuditRepository {
  const within: AuditRepository['within'] = async (work, recordsOf) => {
    const ids: (string | null)[] = [];
    try {
      return await inTransaction.run(ids, () => audit.within(work, recordsOf));
    } finally {
      if (ids.length > 0) await report(ids);
    }
  };
  return new Proxy(audit, {
    get(target, name) {
      if (name === 'within') return within;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as AnyMethod).bind(target) : value;
    },
  });
}

/** Returns an adapter whose methods report what they change to sessions and users. */
export function reportingAdapter(adapter: StorageAdapter, report: ReportChanges): StorageAdapter {
  const reporting: Partial<StorageAdapter> = {
    ...reportingRepositories(adapter, report),
    ...(adapter.clear && {
      async clear() {
        await adapter.clear?.();
        await report([null]);
      },
    }),
  };
  return new Proxy(adapter, {
    get(target, name) {
      const reported = reporting[name as keyof StorageAdapter];
      if (reported !== undefined) return reported;
      const value: unknown = Reflect.get(target, name);
      // The methods of an adapter may use private properties, which a proxy does not have.
      return typeof value === 'function' ? (value as AnyMethod).bind(target) : value;
    },
  });
}

function reportingMethods(
  repository: object,
  changes: Readonly<Record<string, unknown>>,
  report: ReportChanges,
): object {
  const methods = Object.entries(changes).flatMap(([name, changedId]) => {
    // An adapter may be an object of a class, whose methods are not its own properties.
    const method = (repository as Record<string, AnyMethod | undefined>)[name]?.bind(repository);
    if (!method) return [];
    if (changedId === noChange) return [[name, method]];
    return [[name, reporting(method, changedId as AnyChangedId, report)]];
  });
  return Object.fromEntries(methods) as object;
}

function reporting(method: AnyMethod, changedId: AnyChangedId, report: ReportChanges): AnyMethod {
  return async (...args) => {
    let result: unknown;
    try {
      return (result = await method(...args));
    } finally {
      // Also after a failure: the connection may have been lost after the commit.
      const ids = changedId(args, result);
      if (ids !== undefined) await report(typeof ids === 'object' && ids !== null ? ids : [ids]);
    }
  };
}
