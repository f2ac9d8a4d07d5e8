/** Photos without Auth.js: its pages use the routes of svc-auth, and the photos stay as they are. */
import express from 'express';
import type { Request } from 'express';
import { createAuthRouter, createService, requireSession, sameOrigin, serviceErrorHandler } from 'svc-auth';
import { listen } from '../listen.js';
import config, { pool } from './users.config.js';

const service = createService(config);
await service.init();

const app = express();
app.use('/api/auth', createAuthRouter(service));
app.use(express.json(), sameOrigin(service));

/** The id that the other tables use. A new user gets a row at the first request. */
async function idOf({ user, svcAuth }: Request): Promise<number> {
  if (svcAuth?.externalId != null) return Number(svcAuth.externalId);
  const { id = '', email } = user ?? {};
  const { rows } = await pool.query<{ id: number }>('insert into users (email) values ($1) returning id', [
    email,
  ]);
  await service.users.update(id, { externalId: String(rows[0]?.id) });
  return Number(rows[0]?.id);
}

app.get('/me', requireSession(service), async (req, res) => {
  res.json({ id: await idOf(req), email: req.user?.email });
});

app.post('/photos', requireSession(service), async (req, res) => {
  const { name } = req.body as { name: string };
  await pool.query('insert into photo (user_id, name) values ($1, $2)', [await idOf(req), name]);
  res.status(201).end();
});

app.get('/photos', requireSession(service), async (req, res) => {
  const { rows } = await pool.query<{ name: string }>(
    'select name from photo where user_id = $1 order by id',
    [await idOf(req)],
  );
  res.json(rows.map(({ name }) => name));
});

app.use(serviceErrorHandler(service));

listen(app);
