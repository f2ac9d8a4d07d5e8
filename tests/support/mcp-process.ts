/** A process of the official MCP client that shares a file of tokens with others: it refreshes, stores, and calls the resource. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { auth } from '@modelcontextprotocol/client';
import { mcpProvider, type McpMemory } from './mcp-memory.js';

export interface McpOrder {
  file: string;
  resource: string;
}

export interface McpResult {
  /** `REDIRECT` would ask the user to sign in again. */
  outcome: string;
  status: number;
}

async function renew({ file, resource }: McpOrder): Promise<McpResult> {
  const memory = JSON.parse(await readFile(file, 'utf8')) as McpMemory;
  const outcome = await auth(mcpProvider(memory), { serverUrl: resource });
  const ownFile = `${file}.${process.pid}`;
  await writeFile(ownFile, JSON.stringify(memory));
  await rename(ownFile, file);
  const headers = { authorization: `Bearer ${memory.tokens?.access_token}` };
  return { outcome, status: (await fetch(resource, { headers })).status };
}

process.on('message', (order: McpOrder) => {
  renew(order).then(
    (result) => process.send?.(result),
    (error: Error) => process.send?.({ outcome: `${error.name}: ${error.message}`, status: 0 }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
