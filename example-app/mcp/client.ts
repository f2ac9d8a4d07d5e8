/**
 * A command line that signs its user in at an MCP server with the official client: `npx tsx example-app/mcp/client.ts`. Prints the address
 * of the sign-in, adds a note and lists all. The tokens are kept, so that the next run asks for nothing.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';

const resource = process.argv[2] ?? 'http://localhost:3100/mcp';
const file = process.env['TOKENS'] ?? join(tmpdir(), 'acme-notes.json');

/** The browser comes back here, at any free port: the server accepts every port of a loopback address. */
const listener = createServer();
await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
const redirectUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
const browserReturns = new Promise<URLSearchParams>((resolve) => {
  listener.on('request', ({ url = '/' }, res) => {
    res.writeHead(200, { connection: 'close' }).end('You can close this window.');
    const { pathname, searchParams } = new URL(url, redirectUrl);
    if (pathname === '/callback') resolve(searchParams);
  });
});

/** What is kept between runs. */
interface Kept {
  client?: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
  tokens?: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  verifier?: string;
}
const kept = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Kept;
const keep = (changes: Kept) =>
  writeFile(file, JSON.stringify(Object.assign(kept, changes)), { mode: 0o600 });

const authProvider: OAuthClientProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'Acme command line', redirect_uris: [redirectUrl] },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => keep({ client }),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => keep({ tokens }),
  saveCodeVerifier: (verifier) => keep({ verifier }),
  codeVerifier: () => kept.verifier ?? '',
  redirectToAuthorization: (url) => console.log(`Open this address to sign in:\n${url.href}`),
};

async function connect(): Promise<Client> {
  const client = new Client({ name: 'acme-command-line', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(resource), { authProvider });
  try {
    await client.connect(transport);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(await browserReturns);
    return connect();
  }
  return client;
}

const client = await connect();
await client.callTool({ name: 'add_note', arguments: { note: `Written at ${new Date().toISOString()}` } });
const { content } = await client.callTool({ name: 'list_notes' });
for (const part of content) if (part.type === 'text') console.log(part.text);
await client.close();
listener.close();
