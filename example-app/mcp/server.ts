/**
 * An MCP server on which people sign in with the pages of the package. Run `npx tsx example-app/mcp/server.ts`, and in another terminal
 * `npx tsx example-app/mcp/client.ts` or any MCP client with the address that this prints. The codes of the sign-in are printed here.
 */
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import express from 'express';
import { createAuthRouter, createService, sqliteAdapter } from 'svc-auth';
import { createOAuthServer } from 'svc-auth/oauth-server';
import { createPages } from 'svc-auth/pages';
import { z } from 'zod';
import { keptSecret } from '../local.js';

const port = Number(process.env['PORT'] || 3100);
const origin = `http://localhost:${port}`;
const resource = `${origin}/mcp`;
const folder = process.env['DATA'] || fileURLToPath(new URL(`../data/mcp-${port}`, import.meta.url));

const secret = await keptSecret(`${folder}/session-secret`);
const service = createService({
  adapter: sqliteAdapter(`${folder}/auth.db`),
  session: { secret },
  appName: 'Acme Notes',
  providers: {
    emailCode: {
      // Stands for your mail server.
      sender: { send: async ({ to, subject }) => console.log(`Mail to ${to}: ${subject}`) },
    },
  },
});
await service.init();

// From here on it is what your application adds.
const oauth = createOAuthServer(service, {
  issuer: origin,
  resources: {
    [resource]: { scopes: { 'notes:read': 'Read your notes', 'notes:write': 'Add notes' } },
  },
  registration: true,
});

/** The product: notes, by user. */
const notes = new Map<string, string[]>();

/** The tools, for the user of the access token. */
const mcp = createMcpHandler(({ authInfo }) => {
  const { id } = authInfo!.extra!['user'] as { id: string };
  const server = new McpServer({ name: 'acme-notes', version: '1.0.0' });
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  server.registerTool('list_notes', { description: 'Lists your notes' }, () =>
    text(notes.get(id)?.join('\n') ?? 'You have no notes.'),
  );
  const inputSchema = z.object({ note: z.string() });
  server.registerTool('add_note', { description: 'Adds a note', inputSchema }, ({ note }) => {
    if (!authInfo!.scopes.includes('notes:write')) return { ...text('Ask for notes:write.'), isError: true };
    notes.set(id, [...(notes.get(id) ?? []), note]);
    return text('Added.');
  });
  return server;
});

const app = express();
app.use(oauth.router);
app.use('/api/auth', createAuthRouter(service));
app.use(createPages(service));
app.all('/mcp', oauth.requireAccessToken({ scopes: ['notes:read'] }), toNodeHandler(mcp));

app.listen(port, '127.0.0.1', () => console.log(`Ready: ${resource}\nStop with Ctrl+C.`));
