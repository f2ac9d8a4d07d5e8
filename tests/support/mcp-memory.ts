/** The official MCP client with a memory: what it stores between calls. */
import type { OAuthClientProvider } from '@modelcontextprotocol/client';

export interface McpMemory {
  client?: unknown;
  tokens?: { access_token: string; refresh_token?: string };
  verifier?: string;
  /** Where the user was sent. */
  url?: string;
  discovery?: unknown;
}

export const mcpCallback = 'http://127.0.0.1:7777/callback';

/** @param metadataUrl address of the client's metadata document, which replaces its registration. */
export function mcpProvider(memory: McpMemory, metadataUrl?: string): OAuthClientProvider {
  return {
    redirectUrl: mcpCallback,
    ...(metadataUrl !== undefined && { clientMetadataUrl: metadataUrl }),
    clientMetadata: { client_name: 'Notes CLI', redirect_uris: [mcpCallback] },
    clientInformation: () => memory.client as never,
    saveClientInformation: (client) => void (memory.client = client),
    tokens: () => memory.tokens as never,
    saveTokens: (tokens) => void (memory.tokens = tokens),
    redirectToAuthorization: (url) => void (memory.url = url.href),
    saveCodeVerifier: (verifier) => void (memory.verifier = verifier),
    codeVerifier: () => memory.verifier!,
    saveDiscoveryState: (state) => void (memory.discovery = state),
    discoveryState: () => memory.discovery as never,
  };
}
