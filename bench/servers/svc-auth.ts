/** svc-auth with the configuration of the README on any database, in the variant named by the first argument. */
import { fileURLToPath } from 'node:url';
import { createAuthRouter, createService, knexAdapter, requireSession, sqliteAdapter } from 'svc-auth';
import type { EmailMessage, EmailSender } from 'svc-auth';
import { createOAuthServer, type AccessTokenInfo } from 'svc-auth/oauth-server';
import { createPages } from 'svc-auth/pages';
import { accessTokenOf } from '../access-token.js';
import { cookiesOf, deliver, emails, password, poolSize, post, serve, type Read } from '../site.js';
import { serverOf, variants } from '../variants.js';
import { expressVersion } from './express.js';

const variant = variants[process.argv[2] ?? ''];
if (!variant) throw new Error(`Unknown variant: ${process.argv[2]}`);

const sender: EmailSender = {
  async send({ kind, to, text }: EmailMessage) {
    const [code] = (kind === 'email_code' && /\b\d{6}\b/.exec(text)) || [];
    if (code) deliver(to, code);
  },
};
// The limits count as always, but the one client of the benchmark may exceed what one person needs.
const unlimited = { max: 1_000_000_000, windowMs: 900_000 };
const url = process.env['BENCH_DATABASE_URL'] ?? '';
const service = createService({
  adapter: url.startsWith('file:')
    ? sqliteAdapter(fileURLToPath(url))
    : knexAdapter({
        client: url.startsWith('mysql:') ? 'mysql2' : 'pg',
        connection: url,
        pool: { min: poolSize, max: poolSize },
      }),
  session: { secret: 'a benchmark secret, thirty-two bytes or more', ...variant.session },
  appName: 'Acme',
  rateLimit: { maxPerWindow: 1_000_000, signUp: { perIp: unlimited, perNetwork: unlimited } },
  providers: {
    emailCode: { sender },
    magicLink: { sender, baseUrl: 'http://localhost:3000/api/auth/magic-link/verify' },
    emailPassword: { sender, resetUrl: 'http://localhost:3000/reset' },
  },
});
await service.init();

const express = await expressVersion(variant.express);
const app = express();
app.use('/api/auth', createAuthRouter(service));
app.get('/protected', requireSession(service), (req, res) => void res.json({ id: req.user?.id }));
app.get('/stateless', requireSession(service, { stateless: true }), (req, res) => {
  res.json({ id: req.svcAuth?.claims.sub });
});

const signUp = post('/api/auth/password/signup', { email: '{email}', password });
await serve(
  app,
  async (origin) => {
    const resources = { [`${origin}/token`]: { scopes: { read: 'Read' } } };
    const oauth = createOAuthServer(service, { issuer: origin, resources });
    app.use(oauth.router, createPages(service));
    app.get('/token', oauth.requireAccessToken({ scopes: ['read'] }), (req, res) => {
      res.json({ id: (req as { auth?: AccessTokenInfo }).auth?.extra.user.id });
    });
    const cookies = await Promise.all(
      emails.map((email) => cookiesOf(origin, { ...signUp, body: JSON.stringify({ email, password }) })),
    );
    const users = await Promise.all(
      cookies.map(async (cookie) => {
        const response = await fetch(`${origin}/api/auth/session`, { headers: { cookie } });
        const { user } = (await response.json()) as { user: { id: string } };
        return { headers: { cookie }, expected: user.id };
      }),
    );
    const withTokens: Read[] = [];
    for (const { headers, expected } of users) {
      const token = await accessTokenOf({ origin, ...headers, clients: oauth.clients });
      withTokens.push({ path: '/token', headers: { authorization: `Bearer ${token}` }, expected });
    }
    return {
      session: users.map((user) => ({ path: '/api/auth/session', ...user })),
      protected: users.map((user) => ({ path: '/protected', ...user })),
      accessToken: withTokens,
      stateless: users.map((user) => ({ path: '/stateless', ...user })),
      cookie: 'svc_session',
      signUp,
      login: post('/api/auth/password/login', { email: '{email}', password }),
      code: {
        send: post('/api/auth/email-code/send', { email: '{email}' }),
        verify: post('/api/auth/email-code/verify', { email: '{email}', code: '{code}' }),
      },
    };
  },
  serverOf(variant),
);
