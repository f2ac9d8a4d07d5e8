/** Tasks without better-auth: its pages use the client of svc-auth, and the tasks stay as they are. */
import express from 'express';
import type { Request } from 'express';
import {
  createAuthRouter,
  createProRouter,
  createService,
  requireSession,
  sameOrigin,
  serviceErrorHandler,
} from 'svc-auth';
import { listen } from '../listen.js';
import config, { pool } from './users.config.js';

const service = createService(config);
await service.init();

const app = express();
app.use('/api/auth', createAuthRouter(service), createProRouter(service));
app.use(express.json(), sameOrigin(service));

/** The id that the other tables use. Their foreign key to the table "user" is dropped, so that new users need no row there. */
const idOf = ({ svcAuth, user }: Request) => svcAuth?.externalId ?? user?.id;
await pool.query('alter table task drop constraint if exists task_user_id_fkey');

app.get(
  '/me',
  requireSession(service),
  (req, res) => void res.json({ id: idOf(req), email: req.user?.email }),
);

app.post('/tasks', requireSession(service), async (req, res) => {
  const { title } = req.body as { title: string };
  await pool.query('insert into task (user_id, title) values ($1, $2)', [idOf(req), title]);
  res.status(201).end();
});

app.get('/tasks', requireSession(service), async (req, res) => {
  const { rows } = await pool.query<{ title: string }>(
    'select title from task where user_id = $1 order by id',
    [idOf(req)],
  );
  res.json(rows.map(({ title }) => title));
});

app.use(serviceErrorHandler(service));

listen(app);
