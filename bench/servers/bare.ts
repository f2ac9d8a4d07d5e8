/**
 * The bare references: what an Express application (its version is the first argument) cannot do with less. They check no
 * limits and forgive no mistake, so svc-auth is not expected to reach each of them.
 */
import bcrypt from 'bcrypt';
import cookieParser from 'cookie-parser';
import jwt from 'jsonwebtoken';
import { createHash, createSecretKey, randomInt, randomUUID } from 'node:crypto';
import { bcryptCost, deliver, emails, password, post, serve } from '../site.js';
import { openDriver } from './drivers.js';
import { expressVersion } from './express.js';

const express = await expressVersion(process.argv[2] === '4' ? 4 : 5);
const { types, define, one, merge } = await openDriver(process.env['BENCH_DATABASE_URL'] ?? '');
for (const table of [
  `users (id ${types.id} primary key, email varchar(320) unique not null, created_at ${types.time} not null)`,
  `passwords (email varchar(320) primary key, hash varchar(60) not null)`,
  `sessions (id ${types.id} primary key, user_id ${types.id} not null references users (id), expires_at ${types.time} not null)`,
  `codes (email varchar(320) primary key, hash varchar(60) not null, expires_at ${types.time} not null)`,
])
  await define(`create table ${table}`);

const minute = 60_000;
const day = 24 * 60 * minute;
const later = (ms: number) => new Date(Date.now() + ms);

const addUser = `insert into users (id, email, created_at) values (?, ?, ?) ${merge('email', ['email'])} returning *`;
const passwordHash = await bcrypt.hash(password, bcryptCost);
const ids: string[] = [];
for (const email of emails) {
  const user = await one(addUser, [randomUUID(), email, new Date()]);
  ids.push(String(user?.['id']));
  await one('insert into passwords (email, hash) values (?, ?)', [email, passwordHash]);
}
const [id = ''] = ids;
const key = createSecretKey(Buffer.from('a benchmark secret, thirty-two bytes or more'));
const token = jwt.sign({ sub: id }, key, { expiresIn: '7 days' });

const app = express();
app.get('/select/:id', (req, res, next) => {
  one('select * from users where id = ?', [req.params.id])
    .then((row) => void res.json(row))
    .catch(next);
});

app.get('/jwt', cookieParser(), (req, res) => {
  const { session = '' } = req.cookies as Record<string, string>;
  const claims = jwt.verify(session, key, { algorithms: ['HS256'] }) as jwt.JwtPayload;
  res.json({ id: claims.sub });
});

app.post('/login', express.json(), (req, res, next) => {
  const { email, password: given } = req.body as { email: string; password: string };
  logIn(email, given)
    .then(() => void res.cookie('session', token, { httpOnly: true }).json({ email }))
    .catch(next);
});

async function logIn(email: string, given: string): Promise<void> {
  const found = await one('select * from passwords where email = ?', [email]);
  if (!(await bcrypt.compare(given, String(found?.['hash'])))) throw new Error('Wrong password');
}

const addCode = `insert into codes (email, hash, expires_at) values (?, ?, ?) ${merge('email', ['hash', 'expires_at'])}`;
const hash = (code: string) => createHash('sha256').update(code).digest('base64url');
app.post('/code/send', express.json(), (req, res, next) => {
  const { email } = req.body as { email: string };
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  one(addCode, [email, hash(code), later(10 * minute)])
    .then(() => {
      deliver(email, code);
      res.json({ sent: true });
    })
    .catch(next);
});

app.post('/code/verify', express.json(), (req, res, next) => {
  const { email, code } = req.body as { email: string; code: string };
  signIn(email, code)
    .then((session) => void res.cookie('session', session, { httpOnly: true }).json({ email }))
    .catch(next);
});

/** Three statements: consumes the code, finds or creates the user, starts the session. */
async function signIn(email: string, code: string): Promise<string> {
  const consume = 'delete from codes where email = ? and hash = ? and expires_at > ? returning email';
  if (!(await one(consume, [email, hash(code), new Date()]))) throw new Error('Wrong code');
  const found = await one(addUser, [randomUUID(), email, new Date()]);
  const session = randomUUID();
  const start = 'insert into sessions (id, user_id, expires_at) values (?, ?, ?)';
  await one(start, [session, String(found?.['id']), later(7 * day)]);
  return jwt.sign({ sub: found?.['id'], sid: session }, key, { expiresIn: '7 days' });
}

await serve(app, () => {
  const headers = { cookie: `session=${token}` };
  const select = ids.map((each) => ({ path: `/select/${each}`, headers, expected: each }));
  return {
    session: select,
    protected: select,
    accessToken: select,
    stateless: { path: '/jwt', headers, expected: id },
    cookie: 'session',
    login: post('/login', { email: '{email}', password }),
    code: {
      send: post('/code/send', { email: '{email}' }),
      verify: post('/code/verify', { email: '{email}', code: '{code}' }),
    },
  };
});
