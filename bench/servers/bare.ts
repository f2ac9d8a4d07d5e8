/**
 * The bare references: what an Express application (its version is the first argument) cannot do with less. They check no
 * limits and forgive no mistake, so svc-auth is not expected to reach each of them.
 */
import cookieParser from 'cookie-parser';
import jwt from 'jsonwebtoken';
import { createHash, createSecretKey, randomInt, randomUUID } from 'node:crypto';
import pg from 'pg';
import { deliver, emails, poolSize, post, serve } from '../site.js';
import { expressVersion } from './express.js';

const express = await expressVersion(process.argv[2] === '4' ? 4 : 5);
const pool = new pg.Pool({
  connectionString: process.env['BENCH_DATABASE_URL'],
  min: poolSize,
  max: poolSize,
});
await pool.query(`
  create table users (id uuid primary key, email text unique not null, created_at timestamptz not null default now());
  create table sessions (id uuid primary key, user_id uuid not null references users, expires_at timestamptz not null);
  create table codes (email text primary key, hash text not null, expires_at timestamptz not null)`);

/** Runs a prepared statement and returns its first row. */
async function one(
  name: string,
  text: string,
  values: unknown[],
): Promise<Record<string, unknown> | undefined> {
  return (await pool.query<Record<string, unknown>>({ name, text, values })).rows[0];
}

const addUser = `insert into users (id, email) values ($1, $2)
  on conflict (email) do update set email = excluded.email returning *`;
const user = await one('add-user', addUser, [randomUUID(), emails[0]]);
const id = String(user?.['id']);
const key = createSecretKey(Buffer.from('a benchmark secret, thirty-two bytes or more'));
const token = jwt.sign({ sub: id }, key, { expiresIn: '7 days' });

const app = express();
app.get('/select/:id', (req, res, next) => {
  one('select', 'select * from users where id = $1', [req.params.id])
    .then((row) => void res.json(row))
    .catch(next);
});

app.get('/jwt', cookieParser(), (req, res) => {
  const { session = '' } = req.cookies as Record<string, string>;
  const claims = jwt.verify(session, key, { algorithms: ['HS256'] }) as jwt.JwtPayload;
  res.json({ id: claims.sub });
});

const hash = (code: string) => createHash('sha256').update(code).digest('base64url');
app.post('/code/send', express.json(), (req, res, next) => {
  const { email } = req.body as { email: string };
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const statement = `insert into codes values ($1, $2, now() + interval '10 minutes')
    on conflict (email) do update set hash = excluded.hash, expires_at = excluded.expires_at`;
  one('send', statement, [email, hash(code)])
    .then(() => {
      deliver(email, code);
      res.json({ sent: true });
    })
    .catch(next);
});

app.post('/code/verify', express.json(), (req, res, next) => {
  const { email, code } = req.body as { email: string; code: string };
  signIn(email, code)
    .then((session) => void res.cookie('session', session, { httpOnly: true }).json({ email }))
    .catch(next);
});

/** Three statements: consumes the code, finds or creates the user, starts the session. */
async function signIn(email: string, code: string): Promise<string> {
  const consume = 'delete from codes where email = $1 and hash = $2 and expires_at > now() returning email';
  if (!(await one('consume', consume, [email, hash(code)]))) throw new Error('Wrong code');
  const found = await one('add-user', addUser, [randomUUID(), email]);
  const start = `insert into sessions values ($1, $2, now() + interval '7 days') returning id`;
  const session = await one('start', start, [randomUUID(), found?.['id']]);
  return jwt.sign({ sub: found?.['id'], sid: session?.['id'] }, key, { expiresIn: '7 days' });
}

await serve(app, () => {
  const select = { path: `/select/${id}`, headers: { cookie: `session=${token}` }, expected: id };
  return {
    session: select,
    protected: select,
    stateless: { ...select, path: '/jwt' },
    cookie: 'session',
    code: {
      send: post('/code/send', { email: '{email}' }),
      verify: post('/code/verify', { email: '{email}', code: '{code}' }),
    },
  };
});
