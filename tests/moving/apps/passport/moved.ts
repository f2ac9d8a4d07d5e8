/** Notes without Passport: the routes, the table of users and the notes stay as they are. */
import express from 'express';
import type { Request } from 'express';
import {
  createAuthRouter,
  createService,
  endSession,
  requireSession,
  serviceErrorHandler,
  sameOrigin,
  startSession,
} from 'svc-auth';
import { listen } from '../listen.js';
import config, { pool } from './users.config.js';

const service = createService(config);
await service.init();

const app = express();
app.use('/api/auth', createAuthRouter(service));
app.use(express.json(), sameOrigin(service));

/** The id that the other tables use. A user who signs up with Google gets a row at the first request. */
async function idOf({ user, svcAuth }: Request): Promise<number> {
  if (svcAuth?.externalId != null) return Number(svcAuth.externalId);
  const { id = '', email } = user ?? {};
  const { rows } = await pool.query<{ id: number }>('insert into users (email) values ($1) returning id', [
    email,
  ]);
  await service.users.update(id, { externalId: String(rows[0]?.id) });
  return Number(rows[0]?.id);
}

app.post('/signup', async (req, res) => {
  const { username, password } = req.body as { username: string; password: string };
  if (await service.users.find({ username })) return void res.status(409).json({ error: 'taken' });
  const { rows } = await pool.query<{ id: number }>('insert into users (username) values ($1) returning id', [
    username,
  ]);
  const user = await service.users.create({ externalId: String(rows[0]?.id), username, password });
  await startSession(service, req, res, user.id);
  res.status(201).json({ id: rows[0]?.id, username });
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

app.get('/login/google', (_req, res) => res.redirect('/api/auth/google/start'));

app.get('/me', requireSession(service), async (req, res) => {
  res.json({ id: await idOf(req), username: req.svcAuth?.username ?? null, email: req.user?.email });
});

app.post('/notes', requireSession(service), async (req, res) => {
  const { text } = req.body as { text: string };
  await pool.query('insert into notes (user_id, text) values ($1, $2)', [await idOf(req), text]);
  res.status(201).end();
});

app.get('/notes', requireSession(service), async (req, res) => {
  const { rows } = await pool.query<{ text: string }>(
    'select text from notes where user_id = $1 order by id',
    [await idOf(req)],
  );
  res.json(rows.map(({ text }) => text));
});

app.use(serviceErrorHandler(service));

listen(app);
