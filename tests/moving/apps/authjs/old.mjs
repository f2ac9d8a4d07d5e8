/** Photos with Auth.js for Express: sessions in PostgreSQL, Google and links by mail. */
import { ExpressAuth, getSession } from '@auth/express';
import PostgresAdapter from '@auth/pg-adapter';
import express from 'express';
import { listen, pool, safely, settings } from '../listen.mjs';

await pool.query(`
  create table if not exists verification_token (identifier text not null, expires timestamptz not null, token text not null, primary key (identifier, token));
  create table if not exists accounts (
    id serial primary key, "userId" integer not null, type varchar(255) not null, provider varchar(255) not null,
    "providerAccountId" varchar(255) not null, refresh_token text, access_token text, expires_at bigint, id_token text, scope text,
    session_state text, token_type text
  );
  create table if not exists sessions (id serial primary key, "userId" integer not null, expires timestamptz not null, "sessionToken" varchar(255) not null);
  create table if not exists users (id serial primary key, name varchar(255), email varchar(255), "emailVerified" timestamptz, image text);
  create table if not exists photo (id serial primary key, user_id integer not null references users (id), name text not null);
`);

const oidc = JSON.parse(settings.GOOGLE);
const config = {
  adapter: PostgresAdapter(pool),
  secret: settings.AUTH_SECRET,
  trustHost: true,
  providers: [
    {
      id: 'google',
      name: 'Google',
      type: 'oidc',
      issuer: oidc.issuer,
      clientId: oidc.clientId,
      clientSecret: oidc.clientSecret,
      client: { token_endpoint_auth_method: 'client_secret_post' },
      checks: ['pkce', 'state'],
      // The claims of the user from the user endpoint: the provider of the test has only `sub` in its ID tokens.
      idToken: false,
      profile: ({ sub, name, email, email_verified }) => ({
        id: sub,
        name,
        email,
        emailVerified: email_verified ? new Date() : null,
      }),
    },
    {
      id: 'email',
      name: 'Email',
      type: 'email',
      from: 'photos@acme.test',
      maxAge: 3600,
      // The test reads the links from here: what sends mail does not matter to it.
      sendVerificationRequest: async ({ identifier, url }) =>
        process.send?.({ mail: { to: identifier, url } }),
    },
  ],
};

const app = express();
app.use(express.json());
// With a path of Express 5 such as '/auth/*any', the package does not find its base path.
app.use('/auth', ExpressAuth(config));

const requireUser = safely(async (req, res, next) => {
  const session = await getSession(req, config);
  if (!session) return res.status(401).json({ error: 'not signed in' });
  const { rows } = await pool.query('select id, email from users where email = $1', [session.user.email]);
  req.user = rows[0];
  next();
});

app.get('/me', requireUser, (req, res) => res.json(req.user));
app.post(
  '/photos',
  requireUser,
  safely(async (req, res) => {
    await pool.query('insert into photo (user_id, name) values ($1, $2)', [req.user.id, req.body.name]);
    res.status(201).end();
  }),
);
app.get(
  '/photos',
  requireUser,
  safely(async (req, res) => {
    const { rows } = await pool.query('select name from photo where user_id = $1 order by id', [req.user.id]);
    res.json(rows.map(({ name }) => name));
  }),
);

listen(app);
