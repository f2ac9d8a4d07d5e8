/** Passport with `passport-local`, `express-session` and sessions in PostgreSQL. Sign-up and users are the application's own. */
import bcrypt from 'bcrypt';
import connectPgSimple from 'connect-pg-simple';
import express from 'express';
import session from 'express-session';
import { randomUUID } from 'node:crypto';
import passport from 'passport';
import { Strategy } from 'passport-local';
import pg from 'pg';
import { bcryptCost, cookiesOf, emails, password, poolSize, post, serve } from '../site.ts';

const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, min: poolSize, max: poolSize });
await pool.query(
  'create table users (id uuid primary key, email text unique not null, password_hash text not null)',
);

const findUser = async (column, value) =>
  (await pool.query(`select * from users where ${column} = $1`, [value])).rows[0];

passport.use(
  new Strategy({ usernameField: 'email' }, (email, plain, done) => {
    findUser('email', email)
      .then(async (user) =>
        done(null, user && (await bcrypt.compare(plain, user.password_hash)) ? user : false),
      )
      .catch(done);
  }),
);
passport.serializeUser((user, done) => done(null, user.id));
passport.deserializeUser((id, done) => {
  findUser('id', id)
    .then((user) => done(null, user ?? false))
    .catch(done);
});

const PgStore = connectPgSimple(session);
const app = express();
app.use(
  session({
    store: new PgStore({ pool, createTableIfMissing: true }),
    secret: 'a benchmark secret, thirty-two bytes or more',
    resave: false,
    saveUninitialized: false,
  }),
);
app.use(passport.session());

const requireUser = (req, res, next) => (req.isAuthenticated() ? next() : res.sendStatus(401));
app.get('/session', requireUser, (req, res) =>
  res.json({ user: { id: req.user.id, email: req.user.email } }),
);
app.get('/protected', requireUser, (req, res) => res.json({ id: req.user.id }));
app.post('/login', express.json(), passport.authenticate('local'), (req, res) =>
  res.json({ id: req.user.id }),
);
app.post('/signup', express.json(), async (req, res, next) => {
  const { email, password: plain } = req.body;
  const hash = await bcrypt.hash(plain, bcryptCost);
  const user = { id: randomUUID(), email };
  await pool.query('insert into users values ($1, $2, $3)', [user.id, email, hash]);
  req.login(user, (error) => (error ? next(error) : res.json(user)));
});

const signUp = post('/signup', { email: '{email}', password });
await serve(app, async (origin) => {
  const cookies = await Promise.all(
    emails.map((email) => cookiesOf(origin, { ...signUp, body: JSON.stringify({ email, password }) })),
  );
  const headers = { cookie: cookies[0] };
  const { id } = await findUser('email', emails[0]);
  return {
    session: { path: '/session', headers, expected: id },
    protected: { path: '/protected', headers, expected: id },
    cookie: 'connect.sid',
    signUp,
    login: post('/login', { email: '{email}', password }),
  };
});
