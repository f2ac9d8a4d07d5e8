/** Starts processes that use one database at the same time. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { failOnLeaks } from './leak-scan.js';
import type { RaceCommand } from './storage-worker.js';
import { waitForExit, forkWatched } from './watched-process.js';

const script = fileURLToPath(new URL('./storage-worker.ts', import.meta.url));

interface Response {
  id: number;
  won?: number;
  error?: string;
}

/** Returns the response to one command. The calls of a test that has timed out respond during the next test. */
function responseTo(id: number, child: ChildProcess): Promise<Response> {
  return new Promise((resolve) => {
    const receive = (message: Response) => {
      if (message.id !== id) return;
      child.off('message', receive);
      resolve(message);
    };
    child.on('message', receive);
  });
}

/** Processes that are ready to run the same command at the same moment. */
export class StorageProcesses {
  private commands = 0;

  private constructor(private readonly children: readonly ChildProcess[]) {}

  static async start(count: number): Promise<StorageProcesses> {
    const children = Array.from({ length: count }, () => forkWatched(script).child);
    await Promise.all(children.map((child) => once(child, 'message')));
    return new StorageProcesses(children);
  }

  /** Returns how many of its calls each process won. */
  async run(command: Omit<RaceCommand, 'id'>): Promise<number[]> {
    const id = (this.commands += 1);
    const results = this.children.map(async (child) => {
      const { won, error } = await responseTo(id, child);
      if (won === undefined) throw new Error(error);
      return won;
    });
    for (const child of this.children) child.send({ ...command, id });
    return Promise.all(results);
  }

  async stop(): Promise<void> {
    for (const child of this.children) child.disconnect();
    await Promise.all(this.children.map(waitForExit));
    failOnLeaks();
  }
}
