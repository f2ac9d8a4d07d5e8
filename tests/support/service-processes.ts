/** Starts processes with a service each, on one database. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Call } from './calls.js';
import { failOnLeaks, noteLeaks } from './leak-scan.js';
import type { ServiceOrder, ServiceReport } from './service-worker.js';
import { closed, forkWatched } from './watched-process.js';

const script = fileURLToPath(new URL('./service-worker.ts', import.meta.url));

export class ServiceProcesses {
  private constructor(private readonly children: readonly ChildProcess[]) {}

  static async start(count: number): Promise<ServiceProcesses> {
    // In JSON an argument that is left out would come as null.
    const children = Array.from(
      { length: count },
      () => forkWatched(script, undefined, { serialization: 'advanced' }).child,
    );
    await Promise.all(children.map((child) => once(child, 'message')));
    return new ServiceProcesses(children);
  }

  /** All calls at the same moment, dealt to the processes in turn. The outcomes come in the order of the calls. */
  async run(
    order: Omit<ServiceOrder, 'calls'>,
    calls: readonly Call[],
  ): Promise<Omit<ServiceReport, 'leaks'>> {
    const count = this.children.length;
    const answers = this.children.map(async (child) => {
      const [answer] = (await once(child, 'message')) as [{ report?: ServiceReport; error?: string }];
      if (!answer.report) throw new Error(answer.error);
      return answer.report;
    });
    for (const [at, child] of this.children.entries()) {
      child.send({ ...order, calls: calls.filter((_call, i) => i % count === at) });
    }
    const reports = await Promise.all(answers);
    for (const { leaks } of reports) noteLeaks(leaks);
    return {
      outcomes: calls.map((_call, i) => reports[i % count]!.outcomes[Math.floor(i / count)]!),
      mails: reports.flatMap(({ mails }) => mails),
      events: reports.flatMap(({ events }) => events),
    };
  }

  async stop(): Promise<void> {
    for (const child of this.children) child.disconnect();
    await Promise.all(this.children.map(closed));
    failOnLeaks();
  }
}
