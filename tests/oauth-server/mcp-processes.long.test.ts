// Command lines run in several processes that share one file of tokens, and refresh at the same time.
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { auth } from '@modelcontextprotocol/client';
import { describeAdapters } from '../support/describe-adapters.js';
import { mcpProvider, type McpMemory } from '../support/mcp-memory.js';
import type { McpResult } from '../support/mcp-process.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { forkWatched } from '../support/watched-process.js';

const script = fileURLToPath(new URL('../support/mcp-process.ts', import.meta.url));

describeAdapters('Five processes of the official MCP client', ({ adapter }) => {
  let site: OAuthSite;
  let folder: string;
  beforeAll(async () => {
    site = await openOAuthSite({ registration: true }, adapter());
    folder = await mkdtemp(join(tmpdir(), 'svc-auth-mcp-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await site.close();
  });

  it('are never asked to sign in again for two hundred expiries', async () => {
    const memory: McpMemory = {};
    const provider = mcpProvider(memory);
    await auth(provider, { serverUrl: site.resource });
    const browser = await site.browser('ada@example.com');
    const page = await browser.open(memory.url!);
    const { url } = await browser.submit(page.html, '/consent/allow');
    const [authorizationCode, iss] = [url.searchParams.get('code')!, url.searchParams.get('iss')!];
    await auth(provider, { serverUrl: site.resource, authorizationCode, iss });
    const file = join(folder, 'tokens.json');
    await writeFile(file, JSON.stringify(memory));

    const children = Array.from({ length: 5 }, () => forkWatched(script).child);
    await Promise.all(children.map((child) => once(child, 'message')));
    for (let expiry = 0; expiry < 200; expiry++) {
      site.test.clock.advance(60 * 60_000);
      const results = await Promise.all(
        children.map(async (child) => {
          const answered = once(child, 'message');
          child.send({ file, resource: site.resource });
          const [result] = (await answered) as [McpResult];
          return result;
        }),
      );
      expect([expiry, ...results]).toEqual([
        expiry,
        ...Array<McpResult>(5).fill({ outcome: 'AUTHORIZED', status: 200 }),
      ]);
    }
    for (const child of children) child.disconnect();
    const { refresh_token: last } = (JSON.parse(await readFile(file, 'utf8')) as McpMemory).tokens!;
    // The number of the last token counts the exchanges: one for each expiry.
    expect(last!.split('.')[1]).toBe('200');
  }, 240_000);
});
