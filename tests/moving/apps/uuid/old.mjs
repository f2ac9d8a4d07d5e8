/** Boards with Passport, whose users and tables have UUIDs: passport-local with bcrypt, Google, sessions of express-session in PostgreSQL. */
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
    id uuid primary key default gen_random_uuid(),
    email text unique not null,
    email_verified boolean not null default false,
    password_hash text
  );
  create table if not exists federated_credentials (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references users (id),
    provider text not null,
    subject text not null,
    unique (provider, subject)
  );
  create table if not exists boards (
    id uuid primary key default gen_random_uuid(),
    owner_id uuid not null references users (id) on delete cascade,
    title text not null
  );
`);

const one = async (sql, values) => (await pool.query(sql, values)).rows[0];

passport.use(
  new LocalStrategy({ usernameField: 'email' }, (email, password, done) => {
    const check = async () => {
      const user = await one('select * from users where email = $1', [email]);
      return user?.password_hash && (await bcrypt.compare(password, user.password_hash)) ? user : false;
    };
    check().then((user) => done(null, user), done);
  }),
);

const { issuer, clientId, clientSecret, redirectUri } = JSON.parse(settings.GOOGLE);
const options = {
  ...{ clientID: clientId, clientSecret, callbackURL: redirectUri },
  ...{ authorizationURL: `${issuer}/auth`, tokenURL: `${issuer}/token`, userProfileURL: `${issuer}/me` },
  scope: ['openid', 'email', 'profile'],
  state: true,
};
const google = new GoogleStrategy(options, (accessToken, refreshToken, profile, done) => {
  const find = async () => {
    const account = ['google', profile.id ?? profile._json.sub];
    const known = await one(
      'select u.* from users u join federated_credentials f on f.user_id = u.id where provider = $1 and subject = $2',
      account,
    );
    if (known) return known;
    const user = await one('insert into users (email, email_verified) values ($1, true) returning *', [
      profile._json.email,
    ]);
    await pool.query('insert into federated_credentials (user_id, provider, subject) values ($1, $2, $3)', [
      user.id,
      ...account,
    ]);
    return user;
  };
  find().then((user) => done(null, user), done);
});
// Google accepts the token in the query; the provider of the test does not.
google._oauth2.useAuthorizationHeaderforGET(true);
passport.use(google);

passport.serializeUser((user, done) => done(null, user.id));
passport.deserializeUser((id, done) => {
  one('select * from users where id = $1', [id]).then((user) => done(null, user ?? false), done);
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

const requireUser = (req, res, next) => (req.user ? next() : res.status(401).end());
const show = ({ id, email }) => ({ id, email });

// A real application mails a link first, and sets `email_verified` when it is opened.
app.post(
  '/signup',
  safely(async (req, res, next) => {
    const { email, password } = req.body;
    const user = await one(
      `insert into users (email, email_verified, password_hash) values ($1, true, $2)
       on conflict do nothing returning *`,
      [email, await bcrypt.hash(password, 10)],
    );
    if (!user) return res.status(409).end();
    req.login(user, (error) => (error ? next(error) : res.status(201).json(show(user))));
  }),
);
app.post('/login', passport.authenticate('local'), (req, res) => res.json(show(req.user)));
app.post('/logout', (req, res, next) => req.logout((error) => (error ? next(error) : res.status(204).end())));
app.get('/me', requireUser, (req, res) => res.json(show(req.user)));
app.get('/login/google', passport.authenticate('google'));
app.get('/oauth2/redirect/google', passport.authenticate('google'), (req, res) => res.redirect('/'));

app.post(
  '/boards',
  requireUser,
  safely(async (req, res) => {
    await pool.query('insert into boards (owner_id, title) values ($1, $2)', [req.user.id, req.body.title]);
    res.status(201).end();
  }),
);
app.get(
  '/boards',
  requireUser,
  safely(async (req, res) => {
    const sql =
      'select b.title from boards b join users u on u.id = b.owner_id where u.id = $1 order by title';
    res.json((await pool.query(sql, [req.user.id])).rows.map(({ title }) => title));
  }),
);

listen(app);
