/** Starts servers under load, each in its own process with its own database. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DatabaseKind, DatabaseServers } from './database-servers.js';
import type { Message, Site } from './site.js';

export interface RunningSite {
  origin: string;
  site: Site;
  database: string;
  /** Resolves with the next code that the server sends to an address. */
  nextCode: (email: string) => Promise<string>;
}

export interface SiteSource {
  /** Module of the server, relative to this folder. */
  module: string;
  args?: string[];
  /** PostgreSQL by default. */
  on?: DatabaseKind;
}

/** Servers that start when they are first needed and run until the end. */
export class SiteProcesses {
  readonly #running = new Map<string, Promise<RunningSite>>();
  readonly #children: ChildProcess[] = [];

  constructor(readonly databases: DatabaseServers) {}

  /** Returns the server of a source; `name` distinguishes several servers of one source. */
  async get(source: SiteSource, name = ''): Promise<RunningSite> {
    const key = JSON.stringify([source, name]);
    const running = this.#running.get(key) ?? this.#start(source);
    this.#running.set(key, running);
    return running;
  }

  stop(): void {
    for (const child of this.#children) child.kill();
  }

  async #start({ module, args = [], on = 'PostgreSQL' }: SiteSource): Promise<RunningSite> {
    const database = await this.databases.create(on, `site_${this.#running.size}`);
    const child = fork(fileURLToPath(new URL(module, import.meta.url)), args, {
      env: { ...process.env, BENCH_DATABASE_URL: database, NODE_ENV: 'production' },
      execArgv: ['--import', 'tsx'],
    });
    this.#children.push(child);
    const waiting = new Map<string, (code: string) => void>();
    const ready = new Promise<{ origin: string; site: Site }>((resolve) => {
      child.on('message', (message: Message) => {
        if ('ready' in message) resolve(message.ready);
        else waiting.get(message.mail.to)?.(message.mail.code);
      });
    });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The server ${module} ended with ${code}.`);
    });
    const { origin, site } = await Promise.race([ready, ended]);
    // From here on, a server that ends shows in the requests that fail.
    ended.catch(() => undefined);
    const nextCode = (email: string) =>
      new Promise<string>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${module} sent no code to ${email}.`)), 10_000);
        waiting.set(email, (code) => {
          clearTimeout(timer);
          waiting.delete(email);
          resolve(code);
        });
      });
    return { origin, site, database, nextCode };
  }
}
