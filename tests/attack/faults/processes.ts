/** Starts the application of application.ts, and ends what is left of it. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { httpClient, type HttpClient } from '../../support/http-client.js';
import { learnPasswords, lookAtAnswer } from '../../support/leak-hooks.js';
import { failOnLeaks, LeakScan } from '../../support/leak-scan.js';
import { closed, forkWatched } from '../../support/watched-process.js';
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
    await closed(child);
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
    child.on('message', (said: ApplicationReport) => {
      if ('listening' in said) resolve(said.listening);
      else if ('mailed' in said) mailed.push(said.mailed);
      else arrived.push(said.arrived);
    });
  });
  child.send(order);
  const port = await listening;
  const client = () => {
    const made = httpClient(port);
    clients.push(made);
    return made;
  };
  const own = client();
  const post = async (route: string, body: object) => {
    learnPasswords(leaks, body);
    const answer = await own.send({ method: 'POST', path: `/api/auth${route}`, body });
    lookAtAnswer(leaks, 'POST', route, answer);
    return answer;
  };
  /** Until so many requests for that path have come in. */
  const until = async (path: string, count: number) => {
    for (let tries = 0; tries < 500; tries += 1) {
      if (arrived.filter((each) => each === path).length >= count) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`${count} requests for ${path} did not arrive.`);
  };
  const terminate = async () => {
    const ended = once(child, 'exit') as Promise<[number | null]>;
    child.kill('SIGTERM');
    return (await ended)[0];
  };
  return { port, client, post, until, terminate, mailed, log: written };
}

/** Returns what stops it, and resolves how long each answer took, in order. */
export async function startProbe(order: ProbeOrder): Promise<() => Promise<number[]>> {
  const { child } = forkWatched(probe);
  started.push(child);
  await once(child, 'message');
  child.send(order);
  return async () => {
    const told = once(child, 'message') as Promise<[(number | null)[]]>;
    child.send('stop');
    const [waits] = await told;
    return waits.map((ms) => ms ?? Infinity).sort((a, b) => a - b);
  };
}
