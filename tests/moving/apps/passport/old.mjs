/**
 * Notes with Passport, as its own examples have it: passport-local, sessions of express-session in PostgreSQL, Google as a second way in.
 * HASH chooses the hash of passwords: pbkdf2 with a salt of its column, as in the example of Passport, or bcrypt.
 */
import crypto from 'node:crypto';
import { promisify } from 'node:util';
import bcrypt from 'bcrypt';
import connectPgSimple from 'connect-pg-simple';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as GoogleStrategy } from 'passport-google-oauth20';
import { Strategy as LocalStrategy } from 'passport-local';
import { listen, pool, safely, settings } from '../listen.mjs';

await pool.query(`
  create table if not exists users (
    id serial primary key,
    username text unique,
    email text,
    name text,
    ${settings.HASH === 'bcrypt' ? 'password_hash text' : 'hashed_password bytea, salt bytea'}
  );
  create table if not exists federated_credentials (
    id serial primary key,
    user_id integer not null references users (id),
    provider text not null,
    subject text not null,
    unique (provider, subject)
  );
  create table if not exists notes (id serial primary key, user_id integer not null references users (id), text text not null);
`);

const pbkdf2 = promisify(crypto.pbkdf2);
const derive = (password, salt) => pbkdf2(password, salt, 310000, 32, 'sha256');

async function setPassword(userId, password) {
  if (settings.HASH === 'bcrypt') {
    const hash = await bcrypt.hash(password, 10);
    await pool.query('update users set password_hash = $2 where id = $1', [userId, hash]);
    return;
  }
  const salt = crypto.randomBytes(16);
  const hash = await derive(password, salt);
  await pool.query('update users set hashed_password = $2, salt = $3 where id = $1', [userId, hash, salt]);
}

async function matches(user, password) {
  if (user.password_hash) return bcrypt.compare(password, user.password_hash);
  if (!user.hashed_password) return false;
  return crypto.timingSafeEqual(user.hashed_password, await derive(password, user.salt));
}

passport.use(
  new LocalStrategy((username, password, done) => {
    const check = async () => {
      const { rows } = await pool.query('select * from users where username = $1', [username]);
      return rows[0] && (await matches(rows[0], password)) ? rows[0] : false;
    };
    check().then((user) => done(null, user), done);
  }),
);

const oidc = JSON.parse(settings.GOOGLE ?? 'null');
if (oidc) {
  const options = {
    clientID: oidc.clientId,
    clientSecret: oidc.clientSecret,
    callbackURL: oidc.redirectUri,
    authorizationURL: `${oidc.issuer}/auth`,
    tokenURL: `${oidc.issuer}/token`,
    userProfileURL: `${oidc.issuer}/me`,
    scope: ['openid', 'email', 'profile'],
    state: true,
  };
  const verify = (accessToken, refreshToken, profile, done) => {
    const find = async () => {
      const subject = profile.id ?? profile._json.sub;
      const known = await pool.query(
        'select u.* from users u join federated_credentials f on f.user_id = u.id where provider = $1 and subject = $2',
        ['https://accounts.google.com', subject],
      );
      if (known.rows[0]) return known.rows[0];
      const { email, name } = profile._json;
      const user = await pool.query('insert into users (email, name) values ($1, $2) returning *', [
        email,
        name,
      ]);
      const values = [user.rows[0].id, 'https://accounts.google.com', subject];
      await pool.query(
        'insert into federated_credentials (user_id, provider, subject) values ($1, $2, $3)',
        values,
      );
      return user.rows[0];
    };
    find().then((user) => done(null, user), done);
  };
  const strategy = new GoogleStrategy(options, verify);
  // Google accepts the token in the query; the provider of the test does not.
  strategy._oauth2.useAuthorizationHeaderforGET(true);
  passport.use(strategy);
}

passport.serializeUser((user, done) => done(null, user.id));
passport.deserializeUser((id, done) => {
  pool
    .query('select * from users where id = $1', [id])
    .then(({ rows }) => done(null, rows[0] ?? false), done);
});

const app = express();
const store = new (connectPgSimple(session))({ pool, createTableIfMissing: true });
app.use(express.json());
app.use(
  session({
    store,
    secret: settings.SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    cookie: { maxAge: 30 * 86400_000 },
  }),
);
app.use(passport.session());

const requireUser = (req, res, next) =>
  req.user ? next() : res.status(401).json({ error: 'not signed in' });
const show = ({ id, username, email }) => ({ id, username, email });

app.post(
  '/signup',
  safely(async (req, res, next) => {
    const { username, password } = req.body;
    const taken = await pool.query('select 1 from users where username = $1', [username]);
    if (taken.rows.length > 0) return res.status(409).json({ error: 'taken' });
    const { rows } = await pool.query('insert into users (username) values ($1) returning *', [username]);
    await setPassword(rows[0].id, password);
    req.login(rows[0], (error) => (error ? next(error) : res.status(201).json(show(rows[0]))));
  }),
);
app.post('/login', passport.authenticate('local'), (req, res) => res.json(show(req.user)));
app.post('/logout', (req, res, next) => req.logout((error) => (error ? next(error) : res.status(204).end())));
app.get('/me', requireUser, (req, res) => res.json(show(req.user)));
app.get('/login/google', passport.authenticate('google'));
app.get(
  '/oauth2/redirect/google',
  passport.authenticate('google', { failureRedirect: '/login' }),
  (req, res) => res.redirect('/'),
);

app.post(
  '/notes',
  requireUser,
  safely(async (req, res) => {
    await pool.query('insert into notes (user_id, text) values ($1, $2)', [req.user.id, req.body.text]);
    res.status(201).end();
  }),
);
app.get(
  '/notes',
  requireUser,
  safely(async (req, res) => {
    const { rows } = await pool.query('select text from notes where user_id = $1 order by id', [req.user.id]);
    res.json(rows.map(({ text }) => text));
  }),
);
app.get('/', (req, res) => res.json({ signedIn: Boolean(req.user) }));

listen(app);
