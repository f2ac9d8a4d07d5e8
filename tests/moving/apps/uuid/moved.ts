/** Boards without Passport: `req.user.id` is the id that the other tables have always had. */
import express from 'express';
import type { NextFunction, Request, Response } from 'express';
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

const addUser = (id: string, email: string | null) =>
  pool.query(
    'insert into users (id, email, email_verified) values ($1, $2, true) on conflict (id) do nothing',
    [id, email],
  );

/** A user who signs up with Google gets the row that foreign keys need at the first request. */
const requireUser = [
  requireSession(service),
  async ({ user }: Request, _res: Response, next: NextFunction) => {
    if (user) await addUser(user.id, user.email);
    next();
  },
];

// A real application mails a link first: emailPassword.signup() does.
app.post('/signup', async (req, res) => {
  const { email, password } = req.body as { email: string; password: string };
  if (await service.users.find({ email })) return void res.status(409).end();
  const user = await service.users.create({ email, emailVerified: true, password });
  await addUser(user.id, email);
  await startSession(service, req, res, user.id);
  res.status(201).json({ id: user.id, email });
});

app.post('/login', async (req, res) => {
  const { email, password } = req.body as { email: string; password: string };
  const { user } = await service.emailPassword.login({ email, password });
  await startSession(service, req, res, user.id);
  res.json({ id: user.id, email });
});

app.post('/logout', async (req, res) => {
  await endSession(service, req, res);
  res.status(204).end();
});

app.get('/login/google', (_req, res) => res.redirect('/api/auth/google/start'));

app.get('/me', requireUser, ({ user }: Request, res: Response) => {
  res.json({ id: user?.id, email: user?.email });
});

app.post('/boards', requireUser, async ({ body, user }: Request, res: Response) => {
  const { title } = body as { title: string };
  await pool.query('insert into boards (owner_id, title) values ($1, $2)', [user?.id, title]);
  res.status(201).end();
});

app.get('/boards', requireUser, async ({ user }: Request, res: Response) => {
  const { rows } = await pool.query<{ title: string }>(
    'select b.title from boards b join users u on u.id = b.owner_id where u.id = $1 order by title',
    [user?.id],
  );
  res.json(rows.map(({ title }) => title));
});

app.use(serviceErrorHandler(service));

listen(app);
