/** Something that happens once, right before or after the next call of one method of the storage: between a check and what it allows. */
import type { StorageAdapter } from 'svc-auth';

export interface OnceInStorage {
  /** What is to happen; gone once it has. */
  run?: (() => Promise<unknown>) | undefined;
  wrapAdapter: (adapter: StorageAdapter) => StorageAdapter;
}

type Method = (...args: unknown[]) => Promise<unknown>;

export function onceInStorage<Table extends 'users' | 'sessions'>(
  when: 'before' | 'after',
  table: Table,
  method: keyof StorageAdapter[Table] & string,
): OnceInStorage {
  const once: OnceInStorage = {
    wrapAdapter(adapter) {
      const methods = adapter[table] as unknown as Record<string, Method>;
      const wrapped: Method = async (...args) => {
        const { run } = once;
        delete once.run;
        if (when === 'before') await run?.();
        const result = await methods[method]!(...args);
        if (when === 'after') await run?.();
        return result;
      };
      return { ...adapter, [table]: { ...adapter[table], [method]: wrapped } };
    },
  };
  return once;
}
