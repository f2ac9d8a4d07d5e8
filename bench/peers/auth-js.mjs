/**
 * Auth.js. Its password sign-in supports only JWT sessions, which ask no database, so there are two configurations: sessions
 * in PostgreSQL with tokens by email, and JWT sessions with passwords. The application checks and stores passwords itself.
 */
import { ExpressAuth, getSession } from '@auth/express';
import Credentials from '@auth/express/providers/credentials';
import PostgresAdapter from '@auth/pg-adapter';
import bcrypt from 'bcrypt';
import express from 'express';
import pg from 'pg';
import { bcryptCost, cookiesOf, deliver, emails, password, poolSize, post, serve } from '../site.ts';

const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, min: poolSize, max: poolSize });
// The schema of the adapter's documentation, with the indexes that its queries need, and the application's passwords.
await pool.query(`
  create table verification_token (identifier text not null, expires timestamptz not null, token text not null, primary key (identifier, token));
  create table accounts (id serial primary key, "userId" integer not null, type varchar(255) not null, provider varchar(255) not null,
    "providerAccountId" varchar(255) not null, refresh_token text, access_token text, expires_at bigint, id_token text, scope text,
    session_state text, token_type text);
  create table sessions (id serial primary key, "userId" integer not null, expires timestamptz not null, "sessionToken" varchar(255) unique not null);
  create table users (id serial primary key, name varchar(255), email varchar(255) unique, "emailVerified" timestamptz, image text);
  create table passwords (email varchar(255) primary key, hash text not null)`);

const shared = {
  secret: 'a benchmark secret, thirty-two bytes or more',
  trustHost: true,
  adapter: PostgresAdapter(pool),
};
let lastToken = '';
const email = {
  id: 'email',
  type: 'email',
  name: 'Email',
  from: 'no-reply@example.com',
  maxAge: 600,
  async sendVerificationRequest({ identifier, token }) {
    lastToken = token;
    deliver(identifier, token);
  },
};
const stored = {
  ...shared,
  basePath: '/auth',
  session: { strategy: 'database' },
  providers: [email],
};
const credentials = Credentials({
  credentials: { email: {}, password: {} },
  async authorize(given) {
    const { rows } = await pool.query('select hash from passwords where email = $1', [given.email]);
    const isCorrect = rows[0] && (await bcrypt.compare(given.password, rows[0].hash));
    return isCorrect ? { id: given.email, email: given.email } : null;
  },
});
const stateless = {
  ...shared,
  basePath: '/auth-jwt',
  session: { strategy: 'jwt' },
  providers: [credentials],
};

const app = express();
app.use('/auth', ExpressAuth(stored));
app.use('/auth-jwt', ExpressAuth(stateless));
const guarded = (config) => async (req, res) => {
  const session = await getSession(req, config);
  if (session?.user) res.json({ email: session.user.email });
  else res.sendStatus(401);
};
app.get('/protected', guarded(stored));
app.get('/stateless', guarded(stateless));
app.post('/signup', express.json(), async (req, res) => {
  const hash = await bcrypt.hash(req.body.password, bcryptCost);
  await pool.query('insert into users (email) values ($1)', [req.body.email]);
  await pool.query('insert into passwords values ($1, $2)', [req.body.email, hash]);
  res.json({ email: req.body.email });
});

await serve(app, async (origin) => {
  const signUp = post('/signup', { email: '{email}', password });
  for (const each of emails) {
    await fetch(origin + signUp.path, { ...signUp, body: JSON.stringify({ email: each, password }) });
  }
  // A browser keeps the token against forged requests and its cookie, so each is fetched once.
  const csrf = await fetch(`${origin}/auth/csrf`);
  const { csrfToken } = await csrf.json();
  const cookie = csrf.headers.getSetCookie()[0].split(';', 1)[0];
  const form = (path, body) => {
    const call = post(path, { ...body, csrfToken });
    return { ...call, headers: { ...call.headers, cookie } };
  };
  const login = form('/auth-jwt/callback/credentials', { email: '{email}', password });
  const send = form('/auth/signin/email', { email: '{email}' });
  const verify = { path: '/auth/callback/email?token={code}&email={email}', headers: { cookie } };

  const [expected] = emails;
  const withEmail = (call) => ({ ...call, body: call.body.replace('{email}', expected) });
  const jwtCookie = await cookiesOf(origin, withEmail(login));
  await fetch(origin + send.path, { ...withEmail(send), redirect: 'manual' });
  const path = verify.path.replace('{code}', lastToken).replace('{email}', encodeURIComponent(expected));
  const storedCookie = await cookiesOf(origin, { ...verify, path });
  return {
    session: { path: '/auth/session', headers: { cookie: storedCookie }, expected },
    protected: { path: '/protected', headers: { cookie: storedCookie }, expected },
    stateless: { path: '/stateless', headers: { cookie: jwtCookie }, expected },
    cookie: 'authjs.session-token',
    signUp,
    login,
    code: { send, verify },
  };
});
