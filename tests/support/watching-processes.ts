/** Starts processes that watch the same sessions. */
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WatchEnded } from './watch-worker.js';
import { forkWatched, waitForExit } from './watched-process.js';

const script = fileURLToPath(new URL('./watch-worker.ts', import.meta.url));

export interface WatchingProcesses {
  /** Resolves when every process has reported the end of the session with this index. */
  ended: (index: number) => Promise<WatchEnded[]>;
  stop: () => Promise<void>;
}

export async function startWatching(
  count: number,
  start: { url: string; secret: string; tokens: readonly string[] },
): Promise<WatchingProcesses> {
  const children = Array.from(
    { length: count },
    () => forkWatched(script, undefined, { serialization: 'advanced' }).child,
  );
  const reports = new Map<number, WatchEnded[]>();
  const waiting = new Map<number, () => void>();
  for (const child of children)
    child.on('message', (message: WatchEnded | string) => {
      if (typeof message === 'string') return;
      const known = [...(reports.get(message.index) ?? []), message];
      reports.set(message.index, known);
      if (known.length === count) waiting.get(message.index)?.();
    });
  await Promise.all(children.map((child) => received(child, 'ready')));
  const watching = children.map((child) => received(child, 'watching'));
  for (const child of children) child.send(start);
  await Promise.all(watching);
  return {
    async ended(index) {
      if (reports.get(index)?.length !== count)
        await new Promise<void>((resolve) => waiting.set(index, resolve));
      return reports.get(index)!;
    },
    async stop() {
      for (const child of children) child.disconnect();
      await Promise.all(children.map(waitForExit));
    },
  };
}

function received(child: ChildProcess, expected: string): Promise<void> {
  return new Promise((resolve) => {
    const receive = (message: unknown) => {
      if (message !== expected) return;
      child.off('message', receive);
      resolve();
    };
    child.on('message', receive);
  });
}
