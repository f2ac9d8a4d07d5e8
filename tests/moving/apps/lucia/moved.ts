/** Bookmarks without Lucia: the routes, the table of users and the bookmarks stay as they are. */
import { randomUUID } from 'node:crypto';
import express from 'express';
import {
  createAuthRouter,
  createService,
  endSession,
  requireSession,
  sameOrigin,
  serviceErrorHandler,
  startSession,
} from 'svc-auth';
import { listen } from '../listen.js';
import config, { pool } from './users.config.js';

const service = createService(config);
await service.init();

const app = express();
app.use('/api/auth', createAuthRouter(service));
app.use(express.json(), sameOrigin(service));

app.post('/signup', async (req, res) => {
  const { username, email, password } = req.body as Record<'username' | 'email' | 'password', string>;
  const taken = (await service.users.find({ username })) ?? (await service.users.find({ email }));
  if (taken) return void res.status(409).json({ error: 'taken' });
  const id = randomUUID();
  await pool.query(
    `insert into auth_user (id, username, email, email_verified, password_hash) values ($1, $2, $3, true, '')`,
    [id, username, email],
  );
  const user = await service.users.create({ externalId: id, username, email, password });
  await startSession(service, req, res, user.id);
  res.status(201).json({ id, username });
});

app.post('/login', async (req, res) => {
  const { username, password } = req.body as { username: string; password: string };
  const { user } = await service.emailPassword.login({ username, password });
  await startSession(service, req, res, user.id);
  res.json({ username });
});

app.post('/logout', async (req, res) => {
  await endSession(service, req, res);
  res.status(204).end();
});

app.get('/me', requireSession(service), (req, res) => {
  res.json({ id: req.svcAuth?.externalId, username: req.svcAuth?.username });
});

app.post('/bookmarks', requireSession(service), async (req, res) => {
  const { url } = req.body as { url: string };
  await pool.query('insert into bookmark (user_id, url) values ($1, $2)', [req.svcAuth?.externalId, url]);
  res.status(201).end();
});

app.get('/bookmarks', requireSession(service), async (req, res) => {
  const { rows } = await pool.query<{ url: string }>(
    'select url from bookmark where user_id = $1 order by id',
    [req.svcAuth?.externalId],
  );
  res.json(rows.map(({ url }) => url));
});

app.use(serviceErrorHandler(service));

listen(app);
