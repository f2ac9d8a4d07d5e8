/** Starts processes, each with a service, on one database. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServiceCall } from './service-calls.js';
import { failOnLeaks, reportLeaks } from './leak-scan.js';
import type { ServiceCommand, ServiceReport } from './service-worker.js';
import { waitForExit, forkWatched } from './watched-process.js';

const script = fileURLToPath(new URL('./service-worker.ts', import.meta.url));

type Response = { report?: ServiceReport; error?: string };

/** Returns the response to one command. The calls of a test that has timed out respond during the next test. */
function responseTo(command: number, child: ChildProcess): Promise<Response> {
  return new Promise((resolve) => {
    const receive = (message: Response & { command: number }) => {
      if (message.command !== command) return;
      child.off('message', receive);
      resolve(message);
    };
    child.on('message', receive);
  });
}

export class ServiceProcesses {
  private commands = 0;

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
    command: Omit<ServiceCommand, 'calls' | 'number'>,
    calls: readonly ServiceCall[],
  ): Promise<Omit<ServiceReport, 'leaks'>> {
    const count = this.children.length;
    const number = (this.commands += 1);
    const results = this.children.map(async (child) => {
      const { report, error } = await responseTo(number, child);
      if (!report) throw new Error(error);
      return report;
    });
    for (const [at, child] of this.children.entries()) {
      child.send({ ...command, number, calls: calls.filter((_call, i) => i % count === at) });
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
