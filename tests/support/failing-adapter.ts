/** An adapter whose database can go away and come back, as a real one does: every statement then fails. */
import type { StorageAdapter } from 'svc-auth';

export interface FailingAdapter {
  adapter: StorageAdapter;
  /** Every statement fails from now on; or only those of one repository, or of one of its methods. */
  fail(where?: string): void;
  /** Statements never answer. */
  hang(): void;
  mend(): void;
}

/** What a driver says: not ours, and not for the visitor's eyes. */
export const outage = 'connect ECONNREFUSED db.internal:5432 (role svc_owner)';

export function failingAdapter(real: StorageAdapter): FailingAdapter {
  let down: (name: string) => Promise<void> | undefined = () => undefined;
  const repository = <T extends object>(name: string, methods: T): T =>
    new Proxy(methods, {
      get(target, method, receiver) {
        const original: unknown = Reflect.get(target, method, receiver);
        if (typeof original !== 'function') return original;
        return (...args: unknown[]): unknown =>
          down(`${name}.${String(method)}`) ??
          (original as (...all: unknown[]) => unknown).apply(target, args);
      },
    });
  return {
    adapter: {
      ...real,
      users: repository('users', real.users),
      identities: repository('identities', real.identities),
      sessions: repository('sessions', real.sessions),
      oneTimeCodes: repository('oneTimeCodes', real.oneTimeCodes),
      singleUseTokens: repository('singleUseTokens', real.singleUseTokens),
      rateLimits: repository('rateLimits', real.rateLimits),
      init: async () => undefined,
      close: async () => undefined,
    },
    fail(where = '') {
      down = (name) =>
        name.startsWith(where)
          ? Promise.reject(Object.assign(new Error(outage), { code: 'ECONNREFUSED' }))
          : undefined;
    },
    hang: () => void (down = () => new Promise(() => undefined)),
    mend: () => void (down = () => undefined),
  };
}
