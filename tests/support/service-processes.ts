/** Starts processes, each with a service, on one database. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServiceCall } from './service-calls.js';
import { failOnLeaks, reportLeaks } from './leak-scan.js';
import type { ServiceCommand, ServiceReport } from './service-worker.js';
import { waitForExit, forkWatched } from './watched-process.js';

const script = fileURLToPath(new URL('./service-worker.ts', import.meta.url));

export class ServiceProcesses {
  private constructor(private readonly children: readonly ChildProcess[]) {}

  static async start(count: number): Promise<ServiceProcesses> {
    // JSON would turn an omitted argument into null.
    const children = Array.from(
      { length: count },
      () => forkWatched(script, undefined, { serialization: 'advanced' }).child,
    );
    await Promise.all(children.map((child) => once(child, 'message')));
    return new ServiceProcesses(children);
  }

  /** Makes all calls at the same moment, distributed over the processes. Returns the outcomes in the order of the calls. */
  async run(
    command: Omit<ServiceCommand, 'calls'>,
    calls: readonly ServiceCall[],
  ): Promise<Omit<ServiceReport, 'leaks'>> {
    const count = this.children.length;
    const results = this.children.map(async (child) => {
      const [result] = (await once(child, 'message')) as [{ report?: ServiceReport; error?: string }];
      if (!result.report) throw new Error(result.error);
      return result.report;
    });
    for (const [at, child] of this.children.entries()) {
      child.send({ ...command, calls: calls.filter((_call, i) => i % count === at) });
    }
    const reports = await Promise.all(results);
    for (const { leaks } of reports) reportLeaks(leaks);
    return {
      outcomes: calls.map((_call, i) => reports[i % count]!.outcomes[Math.floor(i / count)]!),
      mails: reports.flatMap(({ mails }) => mails),
      events: reports.flatMap(({ events }) => events),
    };
  }

  async stop(): Promise<void> {
    for (const child of this.children) child.disconnect();
    await Promise.all(this.children.map(waitForExit));
    failOnLeaks();
  }
}
