/** Fakes and wrappers that pause in the middle of a call, so that a test can run something else in the meantime. */
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PasswordHasher, StorageAdapter } from 'svc-auth';
import { cheapHasher } from './make-service.js';
import { gate } from './password-accounts.js';
import { withoutFastPaths } from './without-fast-paths.js';

export interface Pause {
  /** Resolves when a call has reached the pause. */
  reached: Promise<void>;
  release(): void;
}

/** A point that calls pass. The next call waits there after `pauseNext()`. */
export class PausePoint {
  private waiting: { arrive: () => void; opened: Promise<void> } | undefined;

  pauseNext(): Pause {
    const [arrival, exit] = [gate(), gate()];
    this.waiting = { arrive: arrival.open, opened: exit.opened };
    return { reached: arrival.opened, release: exit.open };
  }

  async pass(): Promise<void> {
    const waiting = this.waiting;
    this.waiting = undefined;
    waiting?.arrive();
    await waiting?.opened;
  }
}

/** A hasher that can be paused, as a stand-in for a slow one. */
export function pausableHasher(): { hasher: PasswordHasher; point: PausePoint } {
  const [cheap, point] = [cheapHasher(), new PausePoint()];
  const hasher: PasswordHasher = {
    async hash(plain) {
      await point.pass();
      return cheap.hash(plain);
    },
    async verify(plain, hash) {
      await point.pass();
      return cheap.verify(plain, hash);
    },
  };
  return { hasher, point };
}

type When = 'before' | 'after';

/** Wraps one method of the adapter, for example `refreshFamilies.rotate`: each call awaits `interruption` before or after it. */
function withInterruption(
  adapter: StorageAdapter,
  path: string,
  when: When,
  interruption: () => Promise<unknown>,
): StorageAdapter {
  const [repository = '', method = ''] = path.split('.');
  const original = (adapter as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>)[
    repository
  ]!;
  const wrapped = async (...args: unknown[]) => {
    if (when === 'before') await interruption();
    const result = await original[method]!(...args);
    if (when === 'after') await interruption();
    return result;
  };
  return { ...withoutFastPaths(adapter), [repository]: { ...original, [method]: wrapped } };
}

/** Wraps the adapter so that the next call of one method can be paused. */
export function pausableAdapter(adapter: StorageAdapter, path: string, when: When) {
  const point = new PausePoint();
  return { adapter: withInterruption(adapter, path, when, () => point.pass()), point };
}

/** Runs something once, directly before or after the next call of a method: between a check and the action that it permits. */
export interface StorageHook {
  /** Cleared once it has run. */
  run?: (() => Promise<unknown>) | undefined;
  wrapAdapter: (adapter: StorageAdapter) => StorageAdapter;
}

export function storageHook(when: When, path: string): StorageHook {
  const once: StorageHook = {
    wrapAdapter: (adapter) =>
      withInterruption(adapter, path, when, async () => {
        const { run } = once;
        delete once.run;
        await run?.();
      }),
  };
  return once;
}

/** An endpoint that forwards to another one and can pause requests. */
export async function pausableEndpoint(to: string) {
  const point = new PausePoint();
  const server: Server = createServer((incoming, response) => {
    response.shouldKeepAlive = false;
    void point.pass().then(() => {
      const { method, headers } = incoming;
      const outgoing = forward(to, { method, headers }, (reply) => {
        response.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(response);
      });
      outgoing.on('error', () => response.writeHead(502).end());
      incoming.pipe(outgoing);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, point, close };
}
