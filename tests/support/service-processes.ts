/** Starts processes with a service each, on one database. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServiceOrder } from './service-worker.js';

const script = fileURLToPath(new URL('./service-worker.ts', import.meta.url));

export class ServiceProcesses {
  private constructor(private readonly children: readonly ChildProcess[]) {}

  static async start(count: number): Promise<ServiceProcesses> {
    const children = Array.from({ length: count }, () => fork(script, { execArgv: ['--import', 'tsx'] }));
    await Promise.all(children.map((child) => once(child, 'message')));
    return new ServiceProcesses(children);
  }

  /** Every process makes its calls at the same moment: how often each outcome came. */
  async run(order: ServiceOrder): Promise<Record<string, number>> {
    const answers = this.children.map(async (child) => {
      const [answer] = (await once(child, 'message')) as [{ outcomes?: string[]; error?: string }];
      if (!answer.outcomes) throw new Error(answer.error);
      return answer.outcomes;
    });
    for (const child of this.children) child.send(order);
    const tally: Record<string, number> = {};
    for (const outcome of (await Promise.all(answers)).flat()) tally[outcome] = (tally[outcome] ?? 0) + 1;
    return tally;
  }

  async stop(): Promise<void> {
    const ended = this.children.map((child) => once(child, 'exit'));
    for (const child of this.children) child.disconnect();
    await Promise.all(ended);
  }
}
