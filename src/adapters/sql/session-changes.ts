/**
 * Reports changes of sessions and users to the subscribers in this process: those of other processes
 * by the listener, and the adapter's own before their promise settles, without a round trip.
 */
import type { StorageAdapter } from '../../storage/adapter.js';
import type { SessionChanges } from '../../storage/session-changes.js';
import { SessionListener, type ListenerSource } from './session-listener.js';

/** Returns the id of the session or the user that a call has changed; undefined if it has changed neither. */
type ChangedId<Method> = Method extends (...args: infer Args) => Promise<infer Result>
  ? (args: Args, result: Result | undefined) => string | readonly string[] | null | undefined
  : never;

/** Every method of a repository, so that a new one cannot be forgotten. */
type ChangedIds<Repository> = {
  [Name in keyof Required<Repository>]: ChangedId<Required<Repository>[Name]> | 'no change';
};

type Repositories = Required<
  Pick<
    StorageAdapter,
    | 'users'
    | 'identities'
    | 'sessions'
    | 'guests'
    | 'refreshFamilies'
    | 'totp'
    | 'accounts'
    | 'userAdministration'
  >
>;

const noChange = 'no change';

/** The methods that change a session or a user. A method of another repository changes neither. */
const changedIds: { [Name in keyof Repositories]: ChangedIds<Repositories[Name]> } = {
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
    // Unless the call fails, and may have ended sessions that it cannot name.
    startWithin: ([session], ended) => (ended === undefined ? session.userId : (ended?.sessions ?? null)),
    findWithUser: noChange,
    findWithTarget: noChange,
    renew: noChange,
    revoke: ([id]) => id,
    revokeAll: ([userId]) => userId,
    revokeOthers: ([userId]) => userId,
    listLive: noChange,
  },
  refreshFamilies: {
    insert: noChange,
    // With a limit it ends sessions too.
    start: ([family], ended) => (ended === undefined ? family.userId : (ended?.sessions ?? null)),
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
    reencrypt: noChange,
    replaceRecoveryCodes: ([userId]) => userId,
    consumeRecoveryCode: noChange,
    countRecoveryCodes: noChange,
    disable: ([userId]) => userId,
  },
  accounts: {
    deleteUser: ([userId]) => userId,
    changeEmail: ([{ userId }]) => userId,
    listSessions: noChange,
  },
  userAdministration: {
    find: noChange,
    list: noChange,
    search: noChange,
    count: noChange,
    insert: noChange,
    update: ([userId]) => userId,
    setPassword: ([userId]) => userId,
    block: ([userId]) => userId,
    unblock: ([userId]) => userId,
  },
};

type AnyMethod = (...args: unknown[]) => Promise<unknown>;
type AnyChangedId = (args: unknown[], result: unknown) => string | readonly string[] | null | undefined;

/**
 * Returns the repositories with methods that report what they change, and the capability.
 * @param source where changes by other processes are heard of. Without it the database belongs to
 * this process, and checks always ask it.
 */
export function withSessionChanges<Adapter extends Repositories>(
  repositories: Adapter,
  source: ListenerSource | undefined,
): { repositories: Adapter & { sessionChanges: SessionChanges }; closeListeners: () => Promise<void> } {
  const listeners = new Map<SessionListener, (id: string | null) => void>();
  const report = (id: string | null) => {
    for (const onChange of listeners.values()) onChange(id);
  };
  const close = async (listener: SessionListener) => {
    listeners.delete(listener);
    await listener.close();
  };
  const reporting = Object.entries(changedIds).map(([name, methods]) => [
    name,
    reportingMethods(repositories[name as keyof Repositories], methods, report),
  ]);
  const sessionChanges: SessionChanges = {
    subscribe(options) {
      if (!source) return { isCurrent: () => false, close: async () => undefined };
      const listener = new SessionListener(source, options);
      listeners.set(listener, options.onChange);
      return { isCurrent: () => listener.isCurrent(), close: () => close(listener) };
    },
  };
  return {
    repositories: { ...repositories, ...(Object.fromEntries(reporting) as Repositories), sessionChanges },
    closeListeners: async () => void (await Promise.all([...listeners.keys()].map(close))),
  };
}

function reportingMethods(
  repository: object,
  changes: Readonly<Record<string, unknown>>,
  report: (id: string | null) => void,
): object {
  const methods = Object.entries(repository).map(([name, method]: [string, AnyMethod]) => {
    const changedId = changes[name];
    if (changedId === noChange) return [name, method];
    return [name, reporting(method, changedId as AnyChangedId, report)];
  });
  return Object.fromEntries(methods) as object;
}

function reporting(
  method: AnyMethod,
  changedId: AnyChangedId,
  report: (id: string | null) => void,
): AnyMethod {
  return async (...args) => {
    let result: unknown;
    try {
      return (result = await method(...args));
    } finally {
      // Also after a failure: the connection may have been lost after the commit.
      const ids = changedId(args, result);
      for (const id of typeof ids === 'object' && ids !== null ? ids : [ids])
        if (id !== undefined) report(id);
    }
  };
}
