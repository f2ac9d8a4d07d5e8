/** Articles with tokens signed by hand, as the boilerplates for Express have it: bcrypt, jsonwebtoken, `Authorization: Token …`. */
import bcrypt from 'bcrypt';
import express from 'express';
import jwt from 'jsonwebtoken';
import { listen, pool, safely, settings } from '../listen.mjs';

await pool.query(`
  create table if not exists "user" (
    id serial primary key,
    email varchar(255) unique not null,
    username varchar(255) unique not null,
    password varchar(255) not null,
    role varchar(20) not null default 'user',
    bio text,
    "createdAt" timestamptz not null default now()
  );
  create table if not exists article (id serial primary key, "authorId" integer not null references "user" (id), title text not null);
`);

const app = express();
app.use(express.json());

const answer = (user) => ({
  user: {
    id: user.id,
    email: user.email,
    username: user.username,
    bio: user.bio,
    token: jwt.sign({ id: user.id, username: user.username }, settings.JWT_SECRET, { expiresIn: '60d' }),
  },
});

const requireUser = safely(async (req, res, next) => {
  const [scheme, token] = (req.headers.authorization ?? '').split(' ');
  try {
    if (scheme !== 'Token') throw new Error('no token');
    const { id } = jwt.verify(token, settings.JWT_SECRET, { algorithms: ['HS256'] });
    const { rows } = await pool.query('select * from "user" where id = $1', [id]);
    if (!rows[0]) throw new Error('no user');
    req.user = rows[0];
  } catch {
    return res.status(401).json({ errors: { message: 'unauthorized' } });
  }
  next();
});

app.post(
  '/api/users',
  safely(async (req, res) => {
    const { email, username, password } = req.body.user;
    const hash = await bcrypt.hash(password, 10);
    try {
      const { rows } = await pool.query(
        'insert into "user" (email, username, password) values ($1, $2, $3) returning *',
        [email, username, hash],
      );
      res.status(201).json(answer(rows[0]));
    } catch (error) {
      if (error.code !== '23505') throw error;
      res.status(422).json({ errors: { email: ['has already been taken'] } });
    }
  }),
);
app.post(
  '/api/users/login',
  safely(async (req, res) => {
    const { email, password } = req.body.user;
    const { rows } = await pool.query('select * from "user" where email = $1', [email]);
    if (!rows[0] || !(await bcrypt.compare(password, rows[0].password)))
      return res.status(403).json({ errors: { 'email or password': ['is invalid'] } });
    res.json(answer(rows[0]));
  }),
);
app.get('/api/user', requireUser, (req, res) => res.json(answer(req.user)));
app.post(
  '/api/articles',
  requireUser,
  safely(async (req, res) => {
    await pool.query('insert into article ("authorId", title) values ($1, $2)', [
      req.user.id,
      req.body.article.title,
    ]);
    res
      .status(201)
      .json({ article: { title: req.body.article.title, author: { username: req.user.username } } });
  }),
);
app.get(
  '/api/articles/feed',
  requireUser,
  safely(async (req, res) => {
    const { rows } = await pool.query('select title from article where "authorId" = $1 order by id', [
      req.user.id,
    ]);
    res.json({ articles: rows });
  }),
);

listen(app);
