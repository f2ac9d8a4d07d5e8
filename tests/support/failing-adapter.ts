/** An adapter whose database can become unreachable and recover. */
import type { StorageAdapter } from 'svc-auth';

export interface FailingAdapter {
  adapter: StorageAdapter;
  /** From now on every statement fails, or only those of one repository or one of its methods. */
  fail(where?: string): void;
  /** From now on no statement completes. */
  hang(): void;
  recover(): void;
}

/** The message of the database driver, which no user must see. */
export const outageMessage = 'connect ECONNREFUSED db.internal:5432 (role svc_owner)';

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
      ...(real.fastPaths && { fastPaths: repository('fastPaths', real.fastPaths) }),
      init: async () => undefined,
      close: async () => undefined,
    },
    fail(where = '') {
      down = (name) =>
        name.startsWith(where)
          ? Promise.reject(Object.assign(new Error(outageMessage), { code: 'ECONNREFUSED' }))
          : undefined;
    },
    hang: () => void (down = () => new Promise(() => undefined)),
    recover: () => void (down = () => undefined),
  };
}
