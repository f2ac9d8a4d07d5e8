/** The libraries that `npm run bench -- --peers` compares svc-auth with, installed in `bench/peers`. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SiteSource } from './site-process.js';
import type { Stack } from './weight.js';

const folder = fileURLToPath(new URL('./peers', import.meta.url));

interface Peer {
  label: string;
  source: SiteSource;
  /** What the library needs for password sign-in with sessions in PostgreSQL. */
  packages: readonly string[];
  load: string;
  create: string;
}

const peers: readonly Peer[] = [
  {
    label: 'Passport',
    source: { module: './peers/passport.mjs' },
    packages: ['passport', 'passport-local', 'express-session', 'connect-pg-simple', 'pg', 'bcrypt'],
    load: `
      const { default: passport } = await import('passport');
      const { Strategy } = await import('passport-local');
      const { default: session } = await import('express-session');
      const { default: store } = await import('connect-pg-simple');
      const { default: pg } = await import('pg');
      await import('bcrypt');`,
    create: `
      const pool = new pg.Pool({ connectionString: url });
      passport.use(new Strategy(() => undefined));
      session({ store: new (store(session))({ pool }), secret: 'secret', resave: false, saveUninitialized: false });
      await pool.query('select 1');`,
  },
  {
    label: 'Auth.js',
    source: { module: './peers/auth-js.mjs' },
    packages: ['@auth/express', '@auth/pg-adapter', 'pg', 'bcrypt'],
    load: `
      const { ExpressAuth } = await import('@auth/express');
      const { default: adapter } = await import('@auth/pg-adapter');
      const { default: credentials } = await import('@auth/express/providers/credentials');
      const { default: pg } = await import('pg');
      await import('bcrypt');`,
    create: `
      const pool = new pg.Pool({ connectionString: url });
      ExpressAuth({ secret: 'secret', adapter: adapter(pool), providers: [credentials({})] });
      await pool.query('select 1');`,
  },
  {
    label: 'better-auth',
    source: { module: './peers/better-auth.mjs' },
    packages: ['better-auth', 'pg', 'bcrypt'],
    load: `
      const { betterAuth } = await import('better-auth');
      const { emailOTP } = await import('better-auth/plugins');
      const { toNodeHandler } = await import('better-auth/node');
      const { default: pg } = await import('pg');
      await import('bcrypt');`,
    create: `
      const pool = new pg.Pool({ connectionString: url });
      const auth = betterAuth({ baseURL: 'http://127.0.0.1', secret: 'a benchmark secret, thirty-two bytes or more',
        database: pool, telemetry: { enabled: false }, emailAndPassword: { enabled: true } });
      toNodeHandler(auth);
      await auth.$context;
      await pool.query('select 1');`,
  },
];

export const peerSites: readonly { label: string; source: SiteSource }[] = peers;

/** Installs the versions of the lock file. */
export async function installPeers(): Promise<void> {
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
}

/** The libraries as an application installs them, in the same versions. */
export async function peerStacks(): Promise<Stack[]> {
  const versions = await peerVersions();
  return peers.map(({ packages, ...peer }) => ({
    ...peer,
    packages: packages.map((name) => `${name}@${versions[name]}`),
  }));
}

export async function peerVersions(): Promise<Record<string, string>> {
  const manifest = await readFile(`${folder}/package.json`, 'utf8');
  return (JSON.parse(manifest) as { dependencies: Record<string, string> }).dependencies;
}
