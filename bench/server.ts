/**
 * The server under load: the routes of svc-auth beside the barest Express routes that do comparable work, in one
 * process, on one database. Talks to the benchmark over its IPC channel.
 */
import bcrypt from 'bcrypt';
import cookieParser from 'cookie-parser';
import express from 'express';
import jwt from 'jsonwebtoken';
import { createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { consoleSender, createAuthRouter, createService, knexAdapter, requireSession } from 'svc-auth';

const connections = 16;
const poolSize = 10;
const secret = 'a benchmark secret, thirty-two bytes or more';
const password = 'correct horse battery staple';
const connectionString = process.env['BENCH_DATABASE_URL'];

const service = createService({
  adapter: knexAdapter({
    client: 'pg',
    connection: connectionString,
    pool: { min: poolSize, max: poolSize },
  }),
  session: { secret },
  providers: { emailPassword: { sender: consoleSender(() => undefined) } },
});
await service.init();

const users = await Promise.all(
  Array.from({ length: connections }, (_, i) => `user${i}@example.com`).map(async (email) => {
    const { session } = await service.emailPassword.signup({ email, password }, { startSession: true });
    if (!session) throw new Error('The signup started no session.');
    return { email, token: session.token, sessionId: session.session.id, userId: session.session.userId };
  }),
);

const app = express();

// As many connections as the service has, and the driver itself rather than a query builder.
const pool = new pg.Pool({ connectionString, min: poolSize, max: poolSize });
app.get('/bare-select/:id', (req, res, next) => {
  pool
    .query<object>({ name: 'bare', text: 'select * from svc_users where id = $1', values: [req.params.id] })
    .then(({ rows }) => void res.json(rows[0]))
    .catch(next);
});

const key = createSecretKey(Buffer.from(secret));
app.get('/bare-jwt', cookieParser(), (req, res) => {
  const claims = jwt.verify((req.cookies as Record<string, string>)['svc_session'] ?? '', key, {
    algorithms: ['HS256'],
  }) as jwt.JwtPayload;
  res.json({ sub: claims.sub });
});

app.use('/api/auth', createAuthRouter(service));
app.get('/guarded', requireSession(service), (req, res) => void res.json({ id: req.user?.id }));
app.get('/stateless', requireSession(service, { stateless: true }), (req, res) => {
  res.json({ sub: req.svcAuth?.claims.sub });
});

/** Verifications per second by bcrypt alone, as many at a time as there are connections. */
async function rawBcrypt(durationMs: number): Promise<number> {
  const hash = await bcrypt.hash(password, 10);
  const start = performance.now();
  let verified = 0;
  const loop = async () => {
    while (performance.now() - start < durationMs) {
      await bcrypt.compare(password, hash);
      verified += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  return verified / ((performance.now() - start) / 1000);
}

process.on('message', (durationMs: number) => {
  void rawBcrypt(durationMs).then((perSecond) => process.send?.({ perSecond }));
});

const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port, users, password });
});
