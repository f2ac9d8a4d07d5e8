/** Articles without tokens signed by hand: the routes, `Authorization: Token` and the articles stay as they are. */
import express from 'express';
import type { Request } from 'express';
import { createAuthRouter, createService, requireSession, serviceErrorHandler } from 'svc-auth';
import { listen } from '../listen.js';
import config, { pool } from './users.config.js';

const service = createService(config);
await service.init();

const app = express();
app.use('/api/auth', createAuthRouter(service));
app.use(express.json());

const tokenFrom = ({ headers }: { headers: Request['headers'] }) =>
  /^Token (\S+)$/.exec(headers.authorization ?? '')?.[1];
const requireUser = requireSession(service, { tokenFrom });

interface Credentials {
  user: { email: string; username: string; password: string };
}

app.post('/api/users', async (req, res) => {
  const { email, username, password } = (req.body as Credentials).user;
  const taken = (await service.users.find({ email })) ?? (await service.users.find({ username }));
  if (taken) return void res.status(422).json({ errors: { email: ['has already been taken'] } });
  const { rows } = await pool.query<{ id: number }>(
    `insert into "user" (email, username, password) values ($1, $2, '') returning id`,
    [email, username],
  );
  const id = rows[0]?.id;
  await service.users.create({ externalId: String(id), email, username, password });
  const { session } = await service.emailPassword.login({ email, password }, { startSession: true });
  res.status(201).json({ user: { id, email, username, token: session?.token } });
});

app.post('/api/users/login', async (req, res) => {
  const { email, password } = (req.body as Credentials).user;
  try {
    const { session } = await service.emailPassword.login({ email, password }, { startSession: true });
    res.json({ user: { email, token: session?.token } });
  } catch {
    res.status(403).json({ errors: { 'email or password': ['is invalid'] } });
  }
});

/** The client stores the token of this answer: one of the old tokens is replaced here. */
app.get('/api/user', requireUser, (req, res) => {
  const { token, username } = req.svcAuth ?? {};
  res.json({ user: { email: req.user?.email, username, token } });
});

app.post('/api/articles', requireUser, async (req, res) => {
  const { title } = (req.body as { article: { title: string } }).article;
  const { externalId, username } = req.svcAuth ?? {};
  await pool.query('insert into article ("authorId", title) values ($1, $2)', [externalId, title]);
  res.status(201).json({ article: { title, author: { username } } });
});

app.get('/api/articles/feed', requireUser, async (req, res) => {
  const { rows } = await pool.query('select title from article where "authorId" = $1 order by id', [
    req.svcAuth?.externalId,
  ]);
  res.json({ articles: rows });
});

app.use(serviceErrorHandler(service));

listen(app);
