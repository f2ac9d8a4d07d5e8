/** What an application gives to the official MCP client. */
import type { OAuthClientProvider } from '@modelcontextprotocol/client';

const callback = 'http://127.0.0.1:7777/callback';

/** What a client stores. */
export interface Memory {
  client?: unknown;
  tokens?: { access_token: string; refresh_token?: string };
  verifier?: string;
  url?: URL;
  discovery?: unknown;
}

export function providerOf(memory: Memory): OAuthClientProvider {
  return {
    redirectUrl: callback,
    clientMetadata: { client_name: 'Notes CLI', redirect_uris: [callback] },
    clientInformation: () => memory.client as never,
    saveClientInformation: (client) => void (memory.client = client),
    tokens: () => memory.tokens as never,
    saveTokens: (tokens) => void (memory.tokens = tokens),
    redirectToAuthorization: (url) => void (memory.url = url),
    saveCodeVerifier: (verifier) => void (memory.verifier = verifier),
    codeVerifier: () => memory.verifier!,
    saveDiscoveryState: (state) => void (memory.discovery = state),
    discoveryState: () => memory.discovery as never,
  };
}
