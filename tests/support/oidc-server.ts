/**
 * A real OpenID provider (`oidc-provider`) on loopback, at which a test signs in one of its accounts, and a browser that
 * follows the redirects and keeps its own cookies.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OidcAccount {
  email?: string;
  /** Any value that a provider may send; only `true` means verified. */
  email_verified?: unknown;
  name?: string;
  picture?: string;
  given_name?: string;
  family_name?: string;
  locale?: string;
}

export interface OidcServer {
  issuer: string;
  /** The options of `providers.google`. */
  client: { issuer: string; clientId: string; clientSecret: string; redirectUri: string };
  /** Accounts by subject; tests add their own. */
  accounts: Map<string, OidcAccount>;
  /** `METHOD path` of every request. */
  requests: string[];
  /** Signs an account in at an authorization URL and returns the callback URL. */
  signIn(authorizationUrl: string, subject: string): Promise<URL>;
  /** Stops the server; `restart()` starts it on the same port. */
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export async function startOidcServer(redirectUri: string): Promise<OidcServer> {
  const server = createServer();
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const client = { issuer, clientId: 'acme', clientSecret: randomBytes(32).toString('hex'), redirectUri };
  const accounts = new Map<string, OidcAccount>();
  const requests: string[] = [];

  const provider = await makeProvider(client, accounts);
  const callback = provider.callback();
  server.on('request', (request, response) => {
    // While a test blocks this thread, a keep-alive connection would time out before the next request.
    response.shouldKeepAlive = false;
    requests.push(`${request.method} ${new URL(request.url ?? '', issuer).pathname}`);
    const interaction = /^\/interaction\/[^/?]+\?account=(.*)$/.exec(request.url ?? '');
    if (!interaction) return void callback(request, response);
    const accountId = decodeURIComponent(interaction[1] ?? '');
    void (async () => {
      if (accountId === '') {
        return provider.interactionFinished(request, response, { error: 'access_denied' });
      }
      const grant = new provider.Grant({ accountId, clientId: client.clientId });
      grant.addOIDCScope('openid email profile');
      const result = { login: { accountId }, consent: { grantId: await grant.save() } };
      await provider.interactionFinished(request, response, result);
    })().catch(() => response.writeHead(500).end());
  });

  return {
    issuer,
    client,
    accounts,
    requests,
    signIn: (url, subject) => followRedirects(url, issuer, subject),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    restart: () => listen(server, port),
  };
}

async function makeProvider(client: OidcServer['client'], accounts: Map<string, OidcAccount>) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { Provider } = await withoutWarnings(() => import('oidc-provider'));
  return withoutWarnings(
    async () =>
      new Provider(client.issuer, {
        clients: [
          {
            client_id: client.clientId,
            client_secret: client.clientSecret,
            redirect_uris: [client.redirectUri],
            token_endpoint_auth_method: 'client_secret_post',
          },
        ],
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
        cookies: { keys: [randomBytes(32).toString('hex')] },
        claims: {
          openid: ['sub'],
          email: ['email', 'email_verified'],
          profile: ['name', 'picture', 'given_name', 'family_name', 'locale'],
        },
        findAccount: (_context, accountId) => ({
          accountId,
          claims: () => ({ sub: accountId, ...(accounts.get(accountId) as Record<string, never>) }),
        }),
        interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
        features: { devInteractions: { enabled: false } },
        ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      }),
  );
}

/** Follows redirects as a browser without cookies for the provider. */
async function followRedirects(start: string, issuer: string, subject: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let hops = 0; hops < 10 && url.origin === issuer; hops += 1) {
    if (url.pathname.startsWith('/interaction/')) url.searchParams.set('account', subject);
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const each of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (each.split(';')[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${url.pathname}: ${response.status} ${await response.text()}`);
    url = new URL(location, url);
  }
  return url;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => void server.listen(port, '127.0.0.1', () => resolve()));
}

/** Silences the provider's warnings against running it this way in production. */
async function withoutWarnings<T>(work: () => Promise<T>): Promise<T> {
  const { warn, info } = console;
  console.warn = console.info = () => undefined;
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}
