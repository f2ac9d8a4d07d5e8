/** Recipes with sessions by hand: express-session with its store in PostgreSQL, bcrypt, `req.session.userId`. */
import bcrypt from 'bcrypt';
import connectPgSimple from 'connect-pg-simple';
import express from 'express';
import session from 'express-session';
import { listen, pool, safely, settings } from '../listen.mjs';

await pool.query(`
  create table if not exists members (
    id serial primary key,
    email text unique not null,
    email_confirmed_at timestamptz,
    password_digest text not null,
    is_editor boolean not null default false
  );
  create table if not exists recipes (id serial primary key, member_id integer not null references members (id), title text not null);
`);

const app = express();
const store = new (connectPgSimple(session))({ pool, createTableIfMissing: true });
app.use(express.json());
app.use(
  session({
    store,
    name: 'recipes.sid',
    secret: settings.SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    cookie: { maxAge: 14 * 86400_000 },
  }),
);

const requireMember = (req, res, next) =>
  req.session.userId ? next() : res.status(401).json({ error: 'not signed in' });

/** A new id for the session, so that no one knows it from before. */
const signIn = (req, userId, next, done) =>
  req.session.regenerate((error) => {
    if (error) return next(error);
    req.session.userId = userId;
    done();
  });

// A real application mails a link first, and sets `email_confirmed_at` when it is opened.
app.post(
  '/signup',
  safely(async (req, res, next) => {
    const { email, password } = req.body;
    const digest = await bcrypt.hash(password, 10);
    const { rows } = await pool.query(
      `insert into members (email, email_confirmed_at, password_digest) values ($1, now(), $2)
       on conflict do nothing returning id`,
      [email, digest],
    );
    if (!rows[0]) return res.status(409).json({ error: 'taken' });
    signIn(req, rows[0].id, next, () => res.status(201).json({ id: rows[0].id, email }));
  }),
);
app.post(
  '/login',
  safely(async (req, res, next) => {
    const { email, password } = req.body;
    const { rows } = await pool.query('select * from members where email = $1', [email]);
    const [member] = rows;
    if (!member || !(await bcrypt.compare(password, member.password_digest)))
      return res.status(401).json({ error: 'wrong address or password' });
    signIn(req, member.id, next, () => res.json({ id: member.id, email }));
  }),
);
app.post('/logout', (req, res, next) =>
  req.session.destroy((error) => (error ? next(error) : res.status(204).end())),
);
app.get(
  '/me',
  requireMember,
  safely(async (req, res) => {
    const { rows } = await pool.query('select id, email from members where id = $1', [req.session.userId]);
    res.json(rows[0]);
  }),
);
app.post(
  '/recipes',
  requireMember,
  safely(async (req, res) => {
    const { userId } = req.session;
    await pool.query('insert into recipes (member_id, title) values ($1, $2)', [userId, req.body.title]);
    res.status(201).end();
  }),
);
app.get(
  '/recipes',
  requireMember,
  safely(async (req, res) => {
    const { rows } = await pool.query('select title from recipes where member_id = $1 order by id', [
      req.session.userId,
    ]);
    res.json(rows.map(({ title }) => title));
  }),
);

listen(app);
