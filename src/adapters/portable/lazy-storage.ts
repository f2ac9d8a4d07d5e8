/**
 * Loads the storage with its first call, so that an application with another database does not load
 * it. The repositories exist at once: the service looks for them when it is constructed.
 */
import type { StorageAdapter } from '../../storage/adapter.js';
import type { PortableStorage } from './portable-adapter.js';

type Method = (...args: unknown[]) => unknown;

const repositories = [
  'users',
  'identities',
  'sessions',
  'oneTimeCodes',
  'singleUseTokens',
  'rateLimits',
  'fastPaths',
  'guests',
  'refreshFamilies',
  'apiKeys',
  'orgs',
  'totp',
  'trustedBrowsers',
  'credentials',
  'accounts',
  'userAdministration',
] as const satisfies readonly (keyof PortableStorage)[];

const methodsOf = (repository: object) => repository as Record<string, Method>;

export function lazyStorage(
  load: () => Promise<PortableStorage>,
): Omit<Required<StorageAdapter>, 'sessionChanges' | 'close'> {
  let loading: Promise<PortableStorage> | undefined;
  let loaded: PortableStorage | undefined;
  const storage = async () => {
    loading ??= load();
    return (loaded = await loading);
  };
  const lazy = repositories.map((name) => {
    const methods: Record<string, Method> = {};
    const repository = new Proxy(methods, {
      get(_methods, method) {
        if (typeof method !== 'string' || method === 'then') return undefined;
        if (loaded) return methodsOf(loaded[name])[method];
        return (methods[method] ??= async (...args: unknown[]) =>
          (methodsOf((await storage())[name])[method] as Method)(...args));
      },
      // Once it is loaded, a repository can be copied, to replace a method.
      ownKeys: () => Reflect.ownKeys(loaded?.[name] ?? {}),
      getOwnPropertyDescriptor: (_methods, method) =>
        Reflect.getOwnPropertyDescriptor(loaded?.[name] ?? {}, method),
    });
    return [name, repository];
  });
  return {
    ...(Object.fromEntries(lazy) as Pick<PortableStorage, (typeof repositories)[number]>),
    init: async (options) => (await storage()).init(options),
    clear: async () => (await storage()).clear(),
    currentTime: async () => (await storage()).currentTime(),
    purgeExpired: async (options) => (await storage()).purgeExpired(options),
  };
}
