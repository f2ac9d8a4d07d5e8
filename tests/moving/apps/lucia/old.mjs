/** Bookmarks with Lucia 3: its adapter for PostgreSQL, its own scrypt, its session cookie. */
import express from 'express';
import { NodePostgresAdapter } from '@lucia-auth/adapter-postgresql';
import { Lucia, Scrypt, generateId } from 'lucia';
import { listen, pool, safely } from '../listen.mjs';

await pool.query(`
  create table if not exists auth_user (id text primary key, username text unique not null, email text, email_verified boolean not null default false, password_hash text not null);
  create table if not exists user_session (id text primary key, expires_at timestamptz not null, user_id text not null references auth_user (id));
  create table if not exists bookmark (id serial primary key, user_id text not null references auth_user (id), url text not null);
`);

const lucia = new Lucia(new NodePostgresAdapter(pool, { user: 'auth_user', session: 'user_session' }), {
  sessionCookie: { attributes: { secure: false } },
  getUserAttributes: ({ username, email }) => ({ username, email }),
});

const app = express();
app.use(express.json());
app.use(
  safely(async (req, res, next) => {
    const id = lucia.readSessionCookie(req.headers.cookie ?? '');
    const { session, user } = id ? await lucia.validateSession(id) : { session: null, user: null };
    if (session?.fresh) res.append('Set-Cookie', lucia.createSessionCookie(session.id).serialize());
    Object.assign(req, { user, session });
    next();
  }),
);

const requireUser = (req, res, next) =>
  req.user ? next() : res.status(401).json({ error: 'not signed in' });

async function signIn(res, userId) {
  const session = await lucia.createSession(userId, {});
  res.append('Set-Cookie', lucia.createSessionCookie(session.id).serialize());
}

app.post(
  '/signup',
  safely(async (req, res) => {
    const { username, email, password } = req.body;
    const id = generateId(15);
    const hash = await new Scrypt().hash(password);
    try {
      await pool.query(
        'insert into auth_user (id, username, email, email_verified, password_hash) values ($1, $2, $3, true, $4)',
        [id, username, email, hash],
      );
    } catch (error) {
      if (error.code !== '23505') throw error;
      return res.status(409).json({ error: 'taken' });
    }
    await signIn(res, id);
    res.status(201).json({ id, username });
  }),
);
app.post(
  '/login',
  safely(async (req, res) => {
    const { username, password } = req.body;
    const { rows } = await pool.query('select * from auth_user where username = $1', [username]);
    if (!rows[0] || !(await new Scrypt().verify(rows[0].password_hash, password)))
      return res.status(401).json({ error: 'wrong user name or password' });
    await signIn(res, rows[0].id);
    res.json({ id: rows[0].id, username });
  }),
);
app.post(
  '/logout',
  requireUser,
  safely(async (req, res) => {
    await lucia.invalidateSession(req.session.id);
    res.append('Set-Cookie', lucia.createBlankSessionCookie().serialize());
    res.status(204).end();
  }),
);
app.get('/me', requireUser, (req, res) => res.json({ id: req.user.id, username: req.user.username }));
app.post(
  '/bookmarks',
  requireUser,
  safely(async (req, res) => {
    await pool.query('insert into bookmark (user_id, url) values ($1, $2)', [req.user.id, req.body.url]);
    res.status(201).end();
  }),
);
app.get(
  '/bookmarks',
  requireUser,
  safely(async (req, res) => {
    const { rows } = await pool.query('select url from bookmark where user_id = $1 order by id', [
      req.user.id,
    ]);
    res.json(rows.map(({ url }) => url));
  }),
);

listen(app);
