/** better-auth with passwords hashed by bcrypt and the email-otp plugin; and once more with its cookie cache. */
import bcrypt from 'bcrypt';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node';
import { emailOTP } from 'better-auth/plugins';
import express from 'express';
import pg from 'pg';
import { bcryptCost, cookiesOf, deliver, emails, password, poolSize, post, serve } from '../site.ts';

const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, min: poolSize, max: poolSize });
const makeAuth = (basePath, session) =>
  betterAuth({
    baseURL: 'http://127.0.0.1',
    basePath,
    secret: 'a benchmark secret, thirty-two bytes or more',
    database: pool,
    session,
    // Its limits are per client, and the benchmark is one client.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    emailAndPassword: {
      enabled: true,
      password: {
        hash: (plain) => bcrypt.hash(plain, bcryptCost),
        verify: ({ hash, password: plain }) => bcrypt.compare(plain, hash),
      },
    },
    plugins: [emailOTP({ sendVerificationOTP: async ({ email, otp }) => deliver(email, otp) })],
  });
const auth = makeAuth('/auth', {});
const cached = makeAuth('/auth-cached', { cookieCache: { enabled: true, maxAge: 7 * 24 * 3600 } });
await (await getMigrations(auth.options)).runMigrations();

const app = express();
app.all('/auth/*splat', toNodeHandler(auth));
app.all('/auth-cached/*splat', toNodeHandler(cached));
const guarded = (by) => async (req, res) => {
  const session = await by.api.getSession({ headers: fromNodeHeaders(req.headers) });
  if (session) res.json({ id: session.user.id, email: session.user.email });
  else res.sendStatus(401);
};
app.get('/protected', guarded(auth));
app.get('/stateless', guarded(cached));

await serve(app, async (origin) => {
  // Like a browser: without an origin, the library refuses some requests.
  const asBrowser = (call) => ({ ...call, headers: { ...call.headers, origin: 'http://127.0.0.1' } });
  const signUp = asBrowser(post('/auth/sign-up/email', { name: 'Ada', email: '{email}', password }));
  const login = asBrowser(post('/auth/sign-in/email', { email: '{email}', password }));
  const withEmail = (call, email) => ({ ...call, body: call.body.replace('{email}', email) });
  const cookies = await Promise.all(emails.map((email) => cookiesOf(origin, withEmail(signUp, email))));
  const [expected] = emails;
  const cachedLogin = { ...withEmail(login, expected), path: '/auth-cached/sign-in/email' };
  const headers = { cookie: cookies[0] };
  return {
    session: { path: '/auth/get-session', headers, expected },
    protected: { path: '/protected', headers, expected },
    stateless: { path: '/stateless', headers: { cookie: await cookiesOf(origin, cachedLogin) }, expected },
    cookie: 'better-auth.session_token',
    signUp,
    login,
    code: {
      send: asBrowser(post('/auth/email-otp/send-verification-otp', { email: '{email}', type: 'sign-in' })),
      verify: asBrowser(post('/auth/sign-in/email-otp', { email: '{email}', otp: '{code}' })),
    },
  };
});
