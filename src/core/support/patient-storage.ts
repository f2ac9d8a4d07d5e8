/**
 * The storage as everything after the first query of a request uses it. If the pool is exhausted, requests fail at their first query: the
 * check of a session, or the limits. A request that has passed them may have consumed a code, a link or a challenge. It waits longer for
 * a connection, because a failure would lose what the user has proven.
 */
import type { StorageAdapter } from '../../storage/adapter.js';
import { retryNotSent } from '../../storage/not-sent.js';

/** Administration and the check of an API key follow no proof. */
const patientRepositories = [
  'users',
  'identities',
  'sessions',
  'sessionBindings',
  'oneTimeCodes',
  'singleUseTokens',
  'guests',
  'refreshFamilies',
  'orgs',
  'totp',
  'trustedBrowsers',
  'credentials',
  'oauthServer',
  'accounts',
] as const satisfies readonly (keyof StorageAdapter)[];

/** They call the application, which must not be called twice. */
const callingApplication: readonly PropertyKey[] = ['deleteUser', 'delete'];

type AnyMethod = (...args: unknown[]) => Promise<unknown>;

/** Returns the storage with methods that run again if they found no connection. Of the limits, only what follows a hit does. */
export function patientStorage(storage: StorageAdapter): StorageAdapter {
  const { fastPaths, rateLimits } = storage;
  const patient = new Map<PropertyKey, object>([
    ['rateLimits', patientMethods(rateLimits, (name) => name !== 'hit')],
    ...(fastPaths
      ? [['fastPaths', patientMethods(fastPaths, (name) => name !== 'hitAndFindUser')] as const]
      : []),
    ...patientRepositories.flatMap((name): [string, object][] => {
      const repository = storage[name];
      return repository
        ? [[name, patientMethods(repository, (method) => !callingApplication.includes(method))]]
        : [];
    }),
  ]);
  return new Proxy(storage, {
    get(target, name) {
      const value = patient.get(name) ?? (Reflect.get(target, name) as unknown);
      // The methods of an adapter may use private properties, which a proxy does not have.
      return typeof value === 'function' ? (value as AnyMethod).bind(target) : value;
    },
  });
}

function patientMethods<Repository extends object>(
  repository: Repository,
  isPatient: (name: PropertyKey) => boolean,
): Repository {
  return new Proxy(repository, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method = (value as AnyMethod).bind(target);
      return isPatient(name) ? (...args: unknown[]) => retryNotSent(() => method(...args)) : method;
    },
  });
}
