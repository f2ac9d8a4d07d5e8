/** The example of an MCP server: a command line with the official client signs its user in, and is not asked again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.js';
import { Browser } from '../support/oauth-site.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
let origin: string;
let server: ChildProcess;
let printed: () => string;

/** Starts a file of the example. Returns what it has printed so far. */
function start(file: string, args: string[], env: Record<string, string>) {
  const command = ['--import', 'tsx', `example-app/mcp/${file}`, ...args];
  const child = spawn(process.execPath, command, { cwd: root, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      child.emit('printed');
    });
  child.once('exit', () => child.emit('printed'));
  return { child, printed: () => output };
}

/** Waits until the process has printed the pattern. */
async function untilPrinted(child: ChildProcess, output: () => string, pattern: RegExp): Promise<string> {
  for (;;) {
    const [, found] = pattern.exec(output()) ?? [];
    if (found !== undefined) return found;
    if (child.exitCode !== null) throw new Error(`It ended:\n${output()}`);
    await once(child, 'printed');
  }
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svc-auth-mcp-example-'));
  const port = await freePort();
  origin = `http://localhost:${port}`;
  const started = start('server.ts', [], { PORT: String(port), DATA: folder });
  ({ child: server, printed } = started);
  await untilPrinted(server, printed, /Ready: (\S+)/);
});

afterAll(async () => {
  server.kill();
  await once(server, 'exit');
  await rm(folder, { recursive: true });
});

const runClient = () => start('client.ts', [`${origin}/mcp`], { TOKENS: path.join(folder, 'tokens.json') });

async function signedInBrowser(): Promise<Browser> {
  const browser = new Browser(origin);
  const post = (route: string, body: object) =>
    browser.send(`/api/auth/email-code/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify(body),
    });
  expect((await post('send', { email: 'ada@example.com' })).status).toBe(200);
  const code = await untilPrinted(server, printed, /Mail to ada@example\.com: .*?(\d{6})/);
  expect((await post('verify', { email: 'ada@example.com', code })).status).toBe(200);
  return browser;
}

it('a command line opens the sign-in, adds a note, and needs no sign-in the next time', async () => {
  const first = runClient();
  const address = await untilPrinted(first.child, first.printed, /sign in:\n(\S+)/);
  const browser = await signedInBrowser();
  const page = await browser.open(address);
  expect(page.html).toContain('Acme command line');
  const { url } = await browser.submit(page.html, '/consent/allow');
  expect(await (await fetch(url)).text()).toBe('You can close this window.');
  await untilPrinted(first.child, first.printed, /(Written at)/);

  const second = runClient();
  await untilPrinted(second.child, second.printed, /(Written at.*\nWritten at)/);
  expect(second.printed()).not.toContain('sign in');
});
