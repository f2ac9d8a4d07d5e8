/** Tasks with better-auth: email and password, user names, Google, authenticator apps, passkeys, organizations. */
import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node';
import { genericOAuth, organization, twoFactor, username } from 'better-auth/plugins';
import express from 'express';
import { listen, pool, safely, settings } from '../listen.mjs';

const oidc = JSON.parse(settings.GOOGLE);

const options = {
  appName: 'Tasks',
  baseURL: settings.ORIGIN,
  secret: settings.AUTH_SECRET,
  database: pool,
  telemetry: { enabled: false },
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  plugins: [
    username(),
    twoFactor({ issuer: 'Tasks' }),
    organization(),
    passkey({ rpID: 'localhost', rpName: 'Tasks', origin: settings.ORIGIN }),
    // Google by its discovery document, so that a test can take its place.
    genericOAuth({
      config: [
        {
          providerId: 'google',
          discoveryUrl: `${oidc.issuer}/.well-known/openid-configuration`,
          clientId: oidc.clientId,
          clientSecret: oidc.clientSecret,
          authentication: 'post',
          scopes: ['openid', 'email', 'profile'],
          pkce: true,
        },
      ],
    }),
  ],
};

const auth = betterAuth(options);
await (await getMigrations(options)).runMigrations();
await pool.query(
  `create table if not exists task (id serial primary key, user_id text not null references "user" (id), title text not null)`,
);

const app = express();
app.all('/api/auth/*any', toNodeHandler(auth));
app.use(express.json());

const requireUser = safely(async (req, res, next) => {
  const session = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) });
  if (!session) return res.status(401).json({ error: 'not signed in' });
  req.user = session.user;
  next();
});

app.get('/me', requireUser, (req, res) => res.json({ id: req.user.id, email: req.user.email }));
app.post(
  '/tasks',
  requireUser,
  safely(async (req, res) => {
    await pool.query('insert into task (user_id, title) values ($1, $2)', [req.user.id, req.body.title]);
    res.status(201).end();
  }),
);
app.get(
  '/tasks',
  requireUser,
  safely(async (req, res) => {
    const { rows } = await pool.query('select title from task where user_id = $1 order by id', [req.user.id]);
    res.json(rows.map(({ title }) => title));
  }),
);

listen(app);
