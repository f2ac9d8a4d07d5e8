/** Several processes that serve one application on one database, and concurrent requests to all of them. */
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { EmailMessage } from 'svc-auth';
import type { BootOptions, ProcessMessage } from './app-process.js';
import { httpClient, type HttpResponse, type HttpClient, type HttpRequest } from './http-client.js';
import { learnPasswords, scanResponse } from './leak-hooks.js';
import { failOnLeaks, LeakScan } from './leak-scan.js';
import { waitForExit, forkWatched } from './watched-process.js';

const script = fileURLToPath(new URL('./app-process.ts', import.meta.url));

export class AppProcesses {
  /** Every mail of any process, in options of arrival. */
  readonly mails: EmailMessage[] = [];
  readonly clients: HttpClient[] = [];

  private constructor(
    private readonly children: readonly ChildProcess[],
    /** Scans responses, logs and output. */
    private readonly leaks: LeakScan,
  ) {
    for (const child of children) {
      child.on('message', (report: ProcessMessage) => {
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

  /** Boots all processes at the same moment. Rejects with the error of the first one that fails. */
  async boot(options: BootOptions): Promise<void> {
    for (const key of [options.secret, options.google?.clientSecret])
      this.leaks.learnPhrase('a key of the configuration', key);
    const listening = this.children.map((child) => nextReport(child, 'listening'));
    for (const child of this.children) child.send(options);
    for (const { port } of await Promise.all(listening)) this.clients.push(httpClient(port));
  }

  /** Sends a request to one process. */
  async send(sent: HttpRequest, process = 0): Promise<HttpResponse> {
    learnPasswords(this.leaks, sent.body);
    const response = await this.clients[process]!.send(sent);
    const route = sent.path.replace(/^\/api\/auth/, '');
    if (route !== sent.path) scanResponse(this.leaks, sent.method, route, response);
    return response;
  }

  post(route: string, body: object, process = 0): Promise<HttpResponse> {
    return this.send({ method: 'POST', path: `/api/auth${route}`, body }, process);
  }

  get(route: string, cookie?: string, process = 0): Promise<HttpResponse> {
    const headers = { ...(cookie !== undefined && { Cookie: cookie }) };
    return this.send({ method: 'GET', path: `/api/auth${route}`, headers }, process);
  }

  /** Sends `perProcess` requests to each process, all at the same time. */
  race(perProcess: number, make: (index: number) => HttpRequest): Promise<HttpResponse[]> {
    const total = perProcess * this.clients.length;
    return Promise.all(Array.from({ length: total }, (_, i) => this.send(make(i), i % this.clients.length)));
  }

  mailsTo(address: string): EmailMessage[] {
    return this.mails.filter(({ to }) => to === address);
  }

  /** Ends the processes and waits until they have exited. */
  async stop(): Promise<void> {
    for (const client of this.clients) client.close();
    for (const child of this.children) child.kill('SIGKILL');
    await Promise.all(this.children.map(waitForExit));
    failOnLeaks();
  }
}

function nextReport<T extends ProcessMessage['type']>(
  child: ChildProcess,
  type: T,
): Promise<ProcessMessage & { type: T }> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('The process ended.'));
    const onMessage = (report: ProcessMessage) => {
      if (report.type !== type && report.type !== 'failed') return;
      child.off('message', onMessage).off('exit', onExit);
      if (report.type === 'failed') reject(new Error(report.reason));
      else resolve(report as ProcessMessage & { type: T });
    };
    child.on('message', onMessage).once('exit', onExit);
  });
}
