/** Starts the application of application.ts and the probe, and kills what is still running after a test. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { httpClient, type HttpClient } from '../../support/http-client.js';
import { learnPasswords, scanResponse } from '../../support/leak-hooks.js';
import { failOnLeaks, LeakScan } from '../../support/leak-scan.js';
import { waitForExit, forkWatched } from '../../support/watched-process.js';
import type { ApplicationOrder, ApplicationReport } from './application.js';
import type { ProbeOrder } from './session-probe.js';

const script = fileURLToPath(new URL('./application.ts', import.meta.url));
const probe = fileURLToPath(new URL('./session-probe.ts', import.meta.url));
const started: ChildProcess[] = [];
const clients: HttpClient[] = [];

export async function endProcesses(): Promise<void> {
  for (const client of clients.splice(0)) client.close();
  for (const child of started.splice(0)) {
    child.kill('SIGKILL');
    await waitForExit(child);
  }
  failOnLeaks();
}

export async function startApplication(order: ApplicationOrder) {
  const leaks = new LeakScan();
  const { child, written } = forkWatched(script, leaks);
  started.push(child);
  await once(child, 'message');
  const arrived: string[] = [];
  const mailed: string[] = [];
  const listening = new Promise<number>((resolve) => {
    child.on('message', (message: ApplicationReport) => {
      if ('listening' in message) resolve(message.listening);
      else if ('mailed' in message) mailed.push(message.mailed);
      else arrived.push(message.arrived);
    });
  });
  child.send(order);
  const port = await listening;
  const client = () => {
    const newClient = httpClient(port);
    clients.push(newClient);
    return newClient;
  };
  const ownClient = client();
  const post = async (route: string, body: object) => {
    learnPasswords(leaks, body);
    const response = await ownClient.send({ method: 'POST', path: `/api/auth${route}`, body });
    scanResponse(leaks, 'POST', route, response);
    return response;
  };
  /** Waits until `count` requests for the path have arrived. */
  const until = async (path: string, count: number) => {
    for (let tries = 0; tries < 500; tries += 1) {
      if (arrived.filter((arrivedPath) => arrivedPath === path).length >= count) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`${count} requests for ${path} did not arrive.`);
  };
  const terminate = async () => {
    const ended = once(child, 'exit') as Promise<[number | null]>;
    child.kill('SIGTERM');
    return (await ended)[0];
  };
  return { port, pid: child.pid ?? 0, client, post, until, terminate, mailed, log: written };
}

/** Starts a probe; the returned function stops it and resolves with the sorted response times, Infinity for a failed request. */
export async function startProbe(order: ProbeOrder): Promise<() => Promise<number[]>> {
  const { child } = forkWatched(probe);
  started.push(child);
  await once(child, 'message');
  child.send(order);
  return async () => {
    const report = once(child, 'message') as Promise<[(number | null)[]]>;
    child.send('stop');
    const [waits] = await report;
    return waits.map((ms) => ms ?? Infinity).sort((a, b) => a - b);
  };
}
