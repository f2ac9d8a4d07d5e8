/** Things that can be made to wait in the middle of a call, so that something else happens meanwhile. */
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PasswordHasher, StorageAdapter } from 'svc-auth';
import { cheapHasher } from './make-service.js';
import { gate } from './password-accounts.js';

export interface Hold {
  /** Resolves when somebody waits. */
  reached: Promise<void>;
  release(): void;
}

/** A point that calls come by. The next one waits there, if it was asked to. */
export class HoldPoint {
  private waiting: { arrive: () => void; opened: Promise<void> } | undefined;

  holdNext(): Hold {
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

/** Like a hasher that is slow: what it is asked was asked long before it answers. */
export function heldHasher(): { hasher: PasswordHasher; point: HoldPoint } {
  const [cheap, point] = [cheapHasher(), new HoldPoint()];
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

/** The adapter, with something else to be waited for at each call of `refreshFamilies.rotate`, for instance: before it is made, or when it is through. */
function interrupted(
  adapter: StorageAdapter,
  path: string,
  when: When,
  meanwhile: () => Promise<unknown>,
): StorageAdapter {
  const [repository = '', method = ''] = path.split('.');
  const original = (adapter as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>)[
    repository
  ]!;
  const held = async (...args: unknown[]) => {
    if (when === 'before') await meanwhile();
    const answer = await original[method]!(...args);
    if (when === 'after') await meanwhile();
    return answer;
  };
  return { ...adapter, [repository]: { ...original, [method]: held } };
}

/** The adapter, whose next call of a method can be held. */
export function heldAdapter(adapter: StorageAdapter, path: string, when: When) {
  const point = new HoldPoint();
  return { adapter: interrupted(adapter, path, when, () => point.pass()), point };
}

/** Something that happens once, right before or after the next call of a method: between a check and what it allows. */
export interface OnceInStorage {
  /** What is to happen; gone once it has. */
  run?: (() => Promise<unknown>) | undefined;
  wrapAdapter: (adapter: StorageAdapter) => StorageAdapter;
}

export function onceInStorage(when: When, path: string): OnceInStorage {
  const once: OnceInStorage = {
    wrapAdapter: (adapter) =>
      interrupted(adapter, path, when, async () => {
        const { run } = once;
        delete once.run;
        await run?.();
      }),
  };
  return once;
}

/** An endpoint in front of another one, where requests can be held. */
export async function heldEndpoint(to: string) {
  const point = new HoldPoint();
  const server: Server = createServer((incoming, response) => {
    response.shouldKeepAlive = false;
    void point.pass().then(() => {
      const { method, headers } = incoming;
      const outgoing = forward(to, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
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
