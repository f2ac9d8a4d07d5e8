/** Starts an application of `tests/moving/apps` in a process, and visits it as a browser does. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../apps');
const loader = path.resolve(import.meta.dirname, '../../../node_modules/tsx/dist/loader.mjs');

// They may be missing locally. In the merge gate, which can install them, a skipped test would look like a passed one.
const isRequired = process.env['CI_REQUIRES_OLD_PACKAGES'] === '1';

/** The folder of an application. */
export const apps = (name: string): string => path.join(folder, name);

/** `describe` if the packages of the old applications are installed: `npm ci --prefix tests/moving/apps`. */
export const describeWithOldPackages =
  existsSync(path.join(folder, 'node_modules')) || isRequired ? describe : describe.skip;

export interface Application {
  origin: string;
  /** What the application has sent instead of mails, oldest first. */
  mails: { to: string; url: string }[];
  stop(): Promise<void>;
}

/**
 * Starts a program, and resolves when it listens.
 * @param program path below `tests/moving/apps`, such as `passport/old.mjs`.
 * @param env settings of the application. It also gets `PORT` and `ORIGIN`.
 */
export async function startApplication(
  program: string,
  env: Readonly<Record<string, string>>,
  port: number,
): Promise<Application> {
  const origin = `http://localhost:${port}`;
  const ownCompilerOptions = path.join(folder, path.dirname(program), 'tsconfig.json');
  const child = fork(path.join(folder, program), {
    execArgv: program.endsWith('.ts') ? ['--import', loader] : [],
    env: {
      ...process.env,
      ...(existsSync(ownCompilerOptions) && { TSX_TSCONFIG_PATH: ownCompilerOptions }),
      NODE_ENV: 'development',
      ...env,
      PORT: String(port),
      ORIGIN: origin,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => void output.push(chunk.toString()));
  const mails: Application['mails'] = [];
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message) => {
      if (message === 'listening') resolve();
      else mails.push((message as { mail: Application['mails'][number] }).mail);
    });
    child.once('exit', () => reject(new Error(`${program} has ended:\n${output.join('')}`)));
  });
  return { origin, mails, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.disconnect();
  child.kill();
  await ended;
}

export interface Response {
  status: number;
  /** Of JSON, else the text. */
  body: unknown;
  location: string | null;
}

/** A browser with cookies for one host; it follows no redirect. */
export class Visitor {
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly origin: string,
    /** A header `Authorization`, for clients without cookies. */
    public authorization?: string,
  ) {}

  cookieNames(): string[] {
    return [...this.cookies.keys()];
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name);
  }

  /** Another browser into which the cookies were copied. */
  copy(): Visitor {
    const copy = new Visitor(this.origin, this.authorization);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }

  get(url: string): Promise<Response> {
    return this.request('GET', url);
  }

  post(url: string, body?: unknown): Promise<Response> {
    return this.request('POST', url, body);
  }

  private async request(method: string, url: string, body?: unknown): Promise<Response> {
    const address = new URL(url, this.origin);
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(address, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie !== '' && { cookie }),
        ...(this.authorization !== undefined && { authorization: this.authorization }),
        ...(method !== 'GET' && { origin: this.origin, 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.keep(response.headers.getSetCookie());
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : text,
      location: response.headers.get('location'),
    };
  }

  private keep(headers: readonly string[]): void {
    for (const header of headers) {
      const [pair = '', ...attributes] = header.split(';');
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
      const isRemoved =
        value === '' || attributes.some((each) => /^\s*(?:max-age=0|expires=thu, 01 jan 1970)/i.test(each));
      if (isRemoved) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
