/** Recipes without express-session: the routes, the table of members and the recipes stay as they are. */
import express from 'express';
import type { Request } from 'express';
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

/** The id that the other tables use. */
const idOf = ({ svcAuth }: Request) => Number(svcAuth?.externalId);
const requireMember = requireSession(service);

// A real application mails a link first: emailPassword.signup() does.
app.post('/signup', async (req, res) => {
  const { email, password } = req.body as { email: string; password: string };
  if (await service.users.find({ email })) return void res.status(409).json({ error: 'taken' });
  const { rows } = await pool.query<{ id: number }>(
    `insert into members (email, email_confirmed_at, password_digest) values ($1, now(), '') returning id`,
    [email],
  );
  const externalId = String(rows[0]?.id);
  const user = await service.users.create({ externalId, email, emailVerified: true, password });
  await startSession(service, req, res, user.id);
  res.status(201).json({ id: rows[0]?.id, email });
});

app.post('/login', async (req, res) => {
  const { email, password } = req.body as { email: string; password: string };
  const { user } = await service.emailPassword.login({ email, password });
  await startSession(service, req, res, user.id);
  res.json({ email });
});

app.post('/logout', async (req, res) => {
  await endSession(service, req, res);
  res.status(204).end();
});

app.get('/me', requireMember, (req, res) => {
  res.json({ id: idOf(req), email: req.user?.email });
});

app.post('/recipes', requireMember, async (req, res) => {
  const { title } = req.body as { title: string };
  await pool.query('insert into recipes (member_id, title) values ($1, $2)', [idOf(req), title]);
  res.status(201).end();
});

app.get('/recipes', requireMember, async (req, res) => {
  const { rows } = await pool.query<{ title: string }>(
    'select title from recipes where member_id = $1 order by id',
    [idOf(req)],
  );
  res.json(rows.map(({ title }) => title));
});

app.use(serviceErrorHandler(service));

listen(app);
