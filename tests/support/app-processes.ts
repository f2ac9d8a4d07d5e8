/** Several processes with one application and one database, and requests to all of them at once. */
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { EmailMessage } from 'svc-auth';
import type { Boot, Report } from './app-process.js';
import { httpClient, type Answer, type HttpClient, type SentRequest } from './http-client.js';
import { learnPasswords, lookAtAnswer } from './leak-hooks.js';
import { failOnLeaks, LeakScan } from './leak-scan.js';
import { closed, forkWatched } from './watched-process.js';

const script = fileURLToPath(new URL('./app-process.ts', import.meta.url));

export class AppProcesses {
  /** Every mail that any of them sent, in the order of arrival. */
  readonly mails: EmailMessage[] = [];
  readonly clients: HttpClient[] = [];

  private constructor(
    private readonly children: readonly ChildProcess[],
    /** Of what they answer, log and write. */
    private readonly leaks: LeakScan,
  ) {
    for (const child of children) {
      child.on('message', (report: Report) => {
        if (report.type !== 'mail') return;
        this.mails.push(report.mail);
        this.leaks.learnMessage(report.mail.text);
      });
    }
  }

  /** Starts the processes; none has touched a database yet. */
  static async start(count: number): Promise<AppProcesses> {
    const leaks = new LeakScan();
    const children = Array.from({ length: count }, () => forkWatched(script, leaks).child);
    const processes = new AppProcesses(children, leaks);
    try {
      await Promise.all(children.map((child) => nextReport(child, 'ready')));
    } catch (error) {
      await processes.stop();
      throw error;
    }
    return processes;
  }

  /** Boots all of them at the same moment. Rejects with what the first one to fail says. */
  async boot(order: Boot): Promise<void> {
    for (const key of [order.secret, order.google?.clientSecret])
      this.leaks.learnPhrase('a key of the configuration', key);
    const listening = this.children.map((child) => nextReport(child, 'listening'));
    for (const child of this.children) child.send(order);
    for (const { port } of await Promise.all(listening)) this.clients.push(httpClient(port));
  }

  /** To one process. */
  async send(sent: SentRequest, process = 0): Promise<Answer> {
    learnPasswords(this.leaks, sent.body);
    const answer = await this.clients[process]!.send(sent);
    const route = sent.path.replace(/^\/api\/auth/, '');
    if (route !== sent.path) lookAtAnswer(this.leaks, sent.method, route, answer);
    return answer;
  }

  post(route: string, body: object, process = 0): Promise<Answer> {
    return this.send({ method: 'POST', path: `/api/auth${route}`, body }, process);
  }

  get(route: string, cookie?: string, process = 0): Promise<Answer> {
    const headers = { ...(cookie !== undefined && { Cookie: cookie }) };
    return this.send({ method: 'GET', path: `/api/auth${route}`, headers }, process);
  }

  /** `perProcess` requests to each process, all at once. */
  race(perProcess: number, make: (index: number) => SentRequest): Promise<Answer[]> {
    const total = perProcess * this.clients.length;
    return Promise.all(Array.from({ length: total }, (_, i) => this.send(make(i), i % this.clients.length)));
  }

  mailsTo(address: string): EmailMessage[] {
    return this.mails.filter(({ to }) => to === address);
  }

  /** Ends the processes, each by its own id, and waits until they are gone. */
  async stop(): Promise<void> {
    for (const client of this.clients) client.close();
    for (const child of this.children) child.kill('SIGKILL');
    await Promise.all(this.children.map(closed));
    failOnLeaks();
  }
}

function nextReport<T extends Report['type']>(child: ChildProcess, type: T): Promise<Report & { type: T }> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('The process ended.'));
    const onMessage = (report: Report) => {
      if (report.type !== type && report.type !== 'failed') return;
      child.off('message', onMessage).off('exit', onExit);
      if (report.type === 'failed') reject(new Error(report.reason));
      else resolve(report as Report & { type: T });
    };
    child.on('message', onMessage).once('exit', onExit);
  });
}
