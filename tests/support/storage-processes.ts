/** Starts processes that use one database at the same time. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { failOnLeaks } from './leak-scan.js';
import type { RaceCommand } from './storage-worker.js';
import { waitForExit, forkWatched } from './watched-process.js';

const script = fileURLToPath(new URL('./storage-worker.ts', import.meta.url));

/** Processes that are ready to run the same command at the same moment. */
export class StorageProcesses {
  private constructor(private readonly children: readonly ChildProcess[]) {}

  static async start(count: number): Promise<StorageProcesses> {
    const children = Array.from({ length: count }, () => forkWatched(script).child);
    await Promise.all(children.map((child) => once(child, 'message')));
    return new StorageProcesses(children);
  }

  /** Returns how many of its calls each process won. */
  async run(command: RaceCommand): Promise<number[]> {
    const results = this.children.map(async (child) => {
      const [result] = (await once(child, 'message')) as [{ won?: number; error?: string }];
      if (result.won === undefined) throw new Error(result.error);
      return result.won;
    });
    for (const child of this.children) child.send(command);
    return Promise.all(results);
  }

  async stop(): Promise<void> {
    for (const child of this.children) child.disconnect();
    await Promise.all(this.children.map(waitForExit));
    failOnLeaks();
  }
}
