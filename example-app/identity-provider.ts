/**
 * A stand-in for Google and for a second provider, called Orbit: a real OpenID provider on a free local port, so that their
 * buttons work offline. The library talks to it over HTTP as to any other provider. In production, delete this file:
 *
 *   google: { clientId: process.env.GOOGLE_CLIENT_ID, clientSecret: process.env.GOOGLE_CLIENT_SECRET, redirectUri },
 *   oauth: { github: { ...github(), clientId, clientSecret, redirectUri } },
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import express from 'express';
import type { Configuration } from 'oidc-provider';
import { choosePersonPage } from './choose-person.js';

/**
 * Starts the provider.
 *
 * @param redirectUris of its two clients.
 */
export async function startIdentityProvider(redirectUris: { google: string; orbit: string }) {
  // The application runs on localhost. 127.0.0.1 is another site with separate cookies, like a real provider.
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = (clientId: string, redirectUri: string) => ({
    clientId,
    clientSecret: randomBytes(32).toString('hex'),
    redirectUri,
    issuer,
  });
  const clients = {
    google: client('acme', redirectUris.google),
    orbit: client('acme-orbit', redirectUris.orbit),
  };

  const { provider, Grant } = await withoutWarnings(async () => {
    const { Provider } = await import('oidc-provider');
    const created = new Provider(issuer, configuration(Object.values(clients)));
    return { provider: created, Grant: created.Grant };
  });

  const app = express();
  app.use(express.static(fileURLToPath(new URL('./public', import.meta.url))));
  // Always prompts for an account. A real provider would remember the user, which makes it harder to try several accounts.
  app.get('/auth', (req, _res, next) => {
    req.url += '&prompt=login';
    next();
  });
  app.get('/choose/:uid', (_req, res) => {
    res.set(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'",
    );
    res.send(choosePersonPage());
  });
  app.post('/choose/:uid', express.urlencoded(), async (req, res) => {
    const { email } = req.body as { email?: string };
    if (!email) {
      const refusal = { error: 'access_denied', error_description: 'The user canceled.' };
      return provider.interactionFinished(req, res, refusal);
    }
    const details = await provider.interactionDetails(req, res);
    const accountId = email.trim().toLowerCase();
    // Grants consent without asking: both clients are this example.
    const grant = new Grant({ accountId, clientId: details.params['client_id'] as string });
    grant.addOIDCScope('openid email profile');
    const result = { login: { accountId }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(req, res, result);
  });
  app.use(provider.callback());
  server.on('request', app);

  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { clients, close };
}

interface Client {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

function configuration(clients: readonly Client[]): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    clients: clients.map(({ clientId, clientSecret, redirectUri }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_post',
    })),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // Every address has an account here and counts as verified.
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        email: accountId,
        email_verified: true,
        name: accountId.replace(/@.*/, ''),
      }),
    }),
    interactions: { url: (_context, { uid }) => `/choose/${uid}` },
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 3600, Interaction: 600, Session: 600 },
  };
}

/** Suppresses the warnings of `oidc-provider` about keeping its state in memory, which is intended here. */
async function withoutWarnings<T>(work: () => Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return await work();
  } finally {
    console.warn = warn;
  }
}
