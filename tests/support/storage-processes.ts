/** Starts processes that use one database at the same time. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { failOnLeaks } from './leak-scan.js';
import type { Order } from './storage-worker.js';
import { closed, forkWatched } from './watched-process.js';

const script = fileURLToPath(new URL('./storage-worker.ts', import.meta.url));

/** Processes that are ready: what they are told next, they do at the same moment. */
export class StorageProcesses {
  private constructor(private readonly children: readonly ChildProcess[]) {}

  static async start(count: number): Promise<StorageProcesses> {
    const children = Array.from({ length: count }, () => forkWatched(script).child);
    await Promise.all(children.map((child) => once(child, 'message')));
    return new StorageProcesses(children);
  }

  /** How many of its calls each process won. */
  async run(order: Order): Promise<number[]> {
    const answers = this.children.map(async (child) => {
      const [answer] = (await once(child, 'message')) as [{ won?: number; error?: string }];
      if (answer.won === undefined) throw new Error(answer.error);
      return answer.won;
    });
    for (const child of this.children) child.send(order);
    return Promise.all(answers);
  }

  async stop(): Promise<void> {
    for (const child of this.children) child.disconnect();
    await Promise.all(this.children.map(closed));
    failOnLeaks();
  }
}
