// The code in README and docs: every TypeScript fence is type-checked as a separate module, and the README example runs.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import ts from 'typescript';
import { watchOutput } from '../support/watched-process.js';
import { excerptOf, isForNest, readDocuments, type Fence } from './documents.js';
import { repository } from './source-graph.js';

const fences = readDocuments().flatMap((document) => document.fences);
// Code for NestJS needs its packages and its kind of decorators: tests/servers/nestjs.test.ts checks it.
// Excerpts cannot stand alone: tests/moving/guides.test.ts compares them with their files.
const isTypeScript = (fence: Fence) =>
  /^(ts|typescript)(\s|$)/.test(fence.info) && !isForNest(fence.info) && excerptOf(fence) === undefined;
const isChecked = (fence: Fence) => isTypeScript(fence) && !/\bnocheck\b/.test(fence.info);

/** Globals that a fence may use without an import. A fence may declare its own instead. */
const surroundings = `
import type { Express } from 'express';
import type { EmailSender, Service, StorageAdapter } from 'svc-auth';
import type { OAuthServer } from 'svc-auth/oauth-server';
declare global {
  const app: Express;
  const service: Service;
  const sender: EmailSender;
  const adapter: StorageAdapter;
  const oauth: OAuthServer;
}
`;

// Inside the repository, where packages are found; ignored by git.
let folder: string;
beforeAll(() => {
  mkdirSync(path.join(repository, '.data'), { recursive: true });
  folder = mkdtempSync(path.join(repository, '.data/snippets-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('TypeScript in the documents', () => {
  it('exists', () => {
    expect(fences.filter(isChecked).length).toBeGreaterThan(20);
  });

  it('is exempt from the check in at most two places', () => {
    const exempt = fences.filter((fence) => isTypeScript(fence) && !isChecked(fence));
    expect(exempt.length).toBeLessThanOrEqual(2);
  });

  it('compiles', () => {
    const files = new Map(
      fences.filter(isChecked).map((fence) => {
        // A fence that begins with `// auth.ts` can be imported by the others of its document.
        const name = /^\/\/ ([\w-]+\.ts)\n/.exec(fence.code)?.[1] ?? `line-${fence.line}.ts`;
        const file = path.join(fence.document.replaceAll(/[^\w]+/g, '-'), name);
        return [write(file, `${fence.code}\nexport {};\n`), fence];
      }),
    );
    const program = ts.createProgram(
      [...files.keys(), write('surroundings.d.ts', surroundings)],
      compilerOptions(),
    );
    expect(ts.getPreEmitDiagnostics(program).map((fault) => describeFault(fault, files))).toEqual([]);
  }, 120_000);
});

describe('The README example', () => {
  let server: ChildProcess | undefined;
  afterEach(() => server?.kill());

  it('has at most 25 lines', () => {
    expect(readmeExample().trimEnd().split('\n').length).toBeLessThanOrEqual(25);
  });

  it('mails a code that signs in and opens the guarded route', async () => {
    const port = await freePort();
    const file = write('readme.ts', readmeExample());
    const output: string[] = [];
    server = spawn(process.execPath, ['--import', 'tsx', file], {
      cwd: repository,
      env: { ...process.env, PORT: String(port), NODE_ENV: 'development' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    watchOutput(server, 'the README example');
    server.stdout?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    server.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    const base = `http://127.0.0.1:${port}`;
    const post = (route: string, body: object) =>
      fetch(`${base}/api/auth${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await waitForServer(`${base}/me`, server, output);
    expect((await fetch(`${base}/me`)).status).toBe(401);

    const email = 'ada@example.com';
    expect((await post('/email-code/send', { email })).status).toBe(200);
    const code = /^\d{6}$/m.exec(output.join(''))?.[0];
    const verified = await post('/email-code/verify', { email, code });
    expect([verified.status, await verified.json()]).toEqual([
      200,
      { user: expect.objectContaining({ email, emailVerified: true }), created: true },
    ]);
    const [cookie = ''] = verified.headers.getSetCookie().map((each) => each.split(';')[0]);
    const me = await fetch(`${base}/me`, { headers: { cookie } });
    expect([me.status, await me.json()]).toEqual([200, expect.objectContaining({ email })]);
  });

  function readmeExample(): string {
    const [first] = fences.filter((fence) => fence.document === 'README.md' && isTypeScript(fence));
    if (!first) throw new Error('README.md has no TypeScript');
    return first.code;
  }
});

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function compilerOptions(): ts.CompilerOptions {
  const file = path.join(repository, 'tsconfig.json');
  const { config } = ts.parseConfigFileTextToJson(file, readFileSync(file, 'utf8')) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, repository);
  // A snippet may show something without using it.
  return { ...options, noUnusedLocals: false, noUnusedParameters: false };
}

/** Describes the fault at its place in the document. */
function describeFault({ file, start = 0, messageText }: ts.Diagnostic, files: Map<string, Fence>): string {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n');
  const fence = file && files.get(path.resolve(file.fileName));
  if (!fence) return `${file?.fileName ?? ''}: ${message}`;
  const { line } = file.getLineAndCharacterOfPosition(start);
  return `${fence.document}:${fence.line + line}: ${message}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function waitForServer(url: string, server: ChildProcess, output: string[]): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the example ended:\n${output.join('')}`);
    const response = await fetch(url).catch(() => undefined);
    if (response) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
