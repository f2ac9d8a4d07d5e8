/** Every mistake that the doctor knows is seeded once, and it finds that one and nothing else. */
import cors from 'cors';
import express, { type Request } from 'express';
import express4 from 'express4';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { createAuthRouter, createService, memoryAdapter, smtpSender, type ServiceConfig } from 'svc-auth';
import { redisCounters } from 'svc-auth/redis';
import { consoleSender } from 'svc-auth';
import { findingKinds } from '../../src/engine/doctor/registry.js';
import { secrets } from '../../src/engine/doctor/secrets.js';
import {
  findingsOf,
  goodConfig,
  goodSecret,
  goodSetup,
  ofProxy,
  otherSecret,
  type Setup,
} from './good-application.js';

type Providers = NonNullable<ServiceConfig['providers']>;

const withConfig = (change: (config: ServiceConfig) => void) => (setup: Setup) => change(setup.config);
const withProviders = (change: (providers: Providers) => void) =>
  withConfig(({ providers }) => change(providers ?? {}));
const inProduction = (setup: Setup) => Object.assign(setup.env, { NODE_ENV: 'production' });
const cookie = (options: NonNullable<ServiceConfig['session']['cookie']>) =>
  withConfig((config) => void (config.session.cookie = options));
const before = (mount: Setup['before']) => (setup: Setup) => {
  const { before: usual } = setup;
  setup.before = (app, service) => {
    usual(app, service);
    mount(app, service);
  };
};

/** A server that accepts connections and never answers. */
let silent: Server;
const silentPort = () => (silent.address() as { port: number }).port;

const closedRedis = {
  status: 'end',
  call: async () => undefined,
  duplicate: () => ({ on: () => undefined, subscribe: async () => undefined, disconnect: () => undefined }),
};

interface Mistake {
  title: string;
  id: string;
  seed: (setup: Setup) => unknown;
}

const mistakes: Mistake[] = [
  {
    id: 'secret_weak',
    title: 'a short session secret',
    seed: withConfig((c) => void (c.session.secret = 'q1xZ0m4Wv7pJ9sYk')),
  },
  {
    id: 'secret_weak',
    title: 'a session secret that repeats',
    seed: withConfig((c) => void (c.session.secret = 'a1b2c3d4'.repeat(8))),
  },
  {
    id: 'secret_weak',
    title: 'an encryption key that is a sequence',
    seed: withConfig((c) => void (c.encryptionKey = 'abcdefghijklmnopqrstuvwxyz0123456789')),
  },
  {
    id: 'secret_example',
    title: 'the secret of a tutorial',
    seed: withConfig((c) => void (c.session.secret = 'keyboard cat keyboard cat keyboard cat')),
  },
  {
    id: 'secret_example',
    title: 'a placeholder as session secret',
    seed: withConfig((c) => void (c.session.secret = 'change-me-to-a-random-string-of-32-bytes')),
  },
  {
    id: 'secret_shared',
    title: 'a session secret that is a client secret',
    seed: withProviders(
      (p) =>
        void (p.google = {
          clientId: 'a',
          clientSecret: goodSecret,
          redirectUri: 'https://acme.test/api/auth/google/callback',
        }),
    ),
  },
  {
    id: 'secret_shared',
    title: 'a session secret in two environment variables',
    seed: (s) => Object.assign(s.env, { DOCTOR_A: goodSecret, DOCTOR_B: goodSecret }),
  },
  {
    id: 'secret_not_rotated',
    title: 'a previous secret that is the current one',
    seed: withConfig((c) => void (c.session.previousSecrets = [goodSecret])),
  },
  {
    id: 'link_http',
    title: 'a reset link over http',
    seed: withProviders((p) => void (p.emailPassword!.resetUrl = 'http://acme.test/reset')),
  },
  {
    id: 'link_localhost',
    title: 'a mailed link to localhost in production',
    seed: (s) => {
      inProduction(s);
      s.config.providers!.magicLink!.baseUrl = 'http://localhost:3000/api/auth/magic-link/verify';
    },
  },
  {
    id: 'cookie_secure_http',
    title: 'a Secure cookie over http',
    seed: (s) => {
      cookie({ secure: true })(s);
      s.config.providers!.webauthn = undefined;
      s.headers = { host: 'acme.test' };
    },
  },
  {
    id: 'cookie_none_insecure',
    title: 'SameSite=None without Secure',
    seed: (s) => {
      cookie({ sameSite: 'none' })(s);
      s.config.providers!.webauthn = undefined;
      s.headers = { host: 'acme.test' };
    },
  },
  { id: 'cookie_domain', title: 'a cookie for another domain', seed: cookie({ domain: 'acme.example' }) },
  { id: 'cookie_domain', title: 'a cookie for a top-level domain', seed: cookie({ domain: 'test' }) },
  { id: 'cookie_path', title: 'a cookie for the routes alone', seed: cookie({ path: '/api' }) },
  { id: 'cookie_strict', title: 'SameSite=Strict with mailed links', seed: cookie({ sameSite: 'strict' }) },
  {
    id: 'cookie_duplicate',
    title: 'two cookies of one name',
    seed: (s) => Object.assign(s.headers, { cookie: 'svc_session=a; other=c; svc_session=b' }),
  },
  {
    id: 'cookie_shared',
    title: 'two services with one cookie',
    seed: before((app) =>
      app.use(
        '/other',
        createAuthRouter(
          createService({ ...goodConfig(), session: { secret: otherSecret }, encryptionKey: undefined }),
        ),
      ),
    ),
  },
  {
    id: 'passkey_rp_id',
    title: 'passkeys of another domain',
    seed: withProviders(
      (p) => void (p.webauthn = { rpId: 'acme.example', origins: ['https://acme.example'] }),
    ),
  },
  {
    id: 'passkey_rp_id_suffix',
    title: 'passkeys of a top-level domain',
    seed: withProviders((p) => void (p.webauthn = { rpId: 'test', origins: ['https://acme.test'] })),
  },
  {
    id: 'passkey_origin',
    title: 'passkeys of another origin',
    seed: withProviders((p) => void (p.webauthn = { rpId: 'acme.test', origins: ['https://www.acme.test'] })),
  },
  {
    id: 'passkey_localhost',
    title: 'passkeys of localhost in production',
    seed: (s) => {
      inProduction(s);
      s.config.providers!.webauthn = { rpId: 'localhost', origins: ['http://localhost:3000'] };
    },
  },
  { id: 'code_short', title: 'codes of four digits', seed: withConfig((c) => void (c.code = { length: 4 })) },
  {
    id: 'login_unlimited',
    title: 'passwords without limits',
    seed: withConfig((c) => void (c.rateLimit = { login: false })),
  },
  {
    id: 'sms_any_country',
    title: 'text messages to every country',
    seed: withProviders((p) => void (p.phoneOtp = { sender: { send: async () => undefined } })),
  },
  {
    id: 'trust_proxy_missing',
    title: 'a proxy that is not trusted',
    seed: (s) => (s.before = () => undefined),
  },
  {
    id: 'trust_proxy_all',
    title: 'trust in every proxy',
    seed: before((app) => app.set('trust proxy', true)),
  },
  {
    id: 'trust_proxy_all',
    title: 'trust in every address',
    seed: before((app) => app.set('trust proxy', ['0.0.0.0/1', '128.0.0.0/1'])),
  },
  {
    id: 'trust_proxy_hops',
    title: 'trust in more proxies than there are',
    seed: before((app) => app.set('trust proxy', 3)),
  },
  {
    id: 'router_twice',
    title: 'a router that is mounted twice',
    seed: (s) => (s.after = (app, service) => app.use('/auth', createAuthRouter(service))),
  },
  {
    id: 'router_twice',
    title: 'a router that is mounted again inside of another',
    seed: (s) =>
      (s.after = (app, service) => app.use('/v1', express.Router().use(createAuthRouter(service)))),
  },
  {
    id: 'parser_eats_body',
    title: 'a form parser for JSON',
    seed: before((app) => app.use(express.urlencoded({ extended: false, type: '*/*' }))),
  },
  {
    id: 'parser_eats_body',
    title: 'a form parser for JSON under the path of the router',
    seed: before((app) => app.use('/api', express.urlencoded({ extended: false, type: () => true }))),
  },
  {
    id: 'parser_eats_body',
    title: 'a middleware that reads the stream',
    seed: before((app) =>
      app.use((req, _res, next) => {
        let size = 0;
        req.on('data', (part: Buffer) => (size += part.length));
        req.on('end', () => next(size > 1e9 ? new Error('too large') : undefined));
      }),
    ),
  },
  {
    id: 'parser_eats_body',
    title: 'a body that was read by something else',
    seed: (s) => {
      s.method = 'POST';
      const drain = async (stream: Request) => new Promise((resolve) => stream.resume().on('end', resolve));
      before((app) => app.use((req, _res, next) => void drain(req).then(() => next())))(s);
    },
  },
  {
    id: 'parser_limit',
    title: 'a JSON parser with a small limit',
    seed: before((app) => app.use(express.json({ limit: '1kb' }))),
  },
  {
    id: 'cors_wildcard',
    title: 'CORS with a wildcard and credentials',
    seed: before((app) => app.use(cors({ credentials: true }))),
  },
  {
    id: 'cors_wildcard',
    title: 'CORS by hand with a wildcard and credentials',
    seed: before((app) =>
      app.use((_req, res, next) => {
        res.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Credentials': 'true' });
        next();
      }),
    ),
  },
  {
    id: 'cors_any_origin',
    title: 'CORS that reflects every origin',
    seed: before((app) => app.use(cors({ origin: true, credentials: true }))),
  },
  {
    id: 'cors_after_router',
    title: 'CORS after the router',
    seed: (s) => (s.after = (app) => app.use(cors({ origin: 'https://app.acme.test' }))),
  },
  {
    id: 'cors_no_credentials',
    title: 'CORS without credentials',
    seed: (s) => {
      s.config.trustedOrigins = ['https://app.acme.test'];
      before((app) => app.use(cors({ origin: 'https://app.acme.test' })))(s);
    },
  },
  {
    id: 'cors_cookie_cross_site',
    title: 'CORS for another site with a Lax cookie',
    seed: (s) => {
      s.config.trustedOrigins = ['https://spa.example'];
      before((app) => app.use(cors({ origin: ['https://spa.example'], credentials: true })))(s);
    },
  },
  {
    id: 'sender_unreachable',
    title: 'a mail server that refuses connections',
    seed: withProviders(
      (p) => void (p.emailCode!.sender = smtpSender({ host: '127.0.0.1', port: 1 }, { from: 'a@acme.test' })),
    ),
  },
  {
    id: 'sender_unreachable',
    title: 'a mail server that does not answer',
    seed: withProviders(
      (p) =>
        void (p.emailCode!.sender = smtpSender(
          { host: '127.0.0.1', port: silentPort() },
          { from: 'a@acme.test' },
        )),
    ),
  },
  {
    id: 'sender_console',
    title: 'printed mails in production',
    seed: (s) => {
      inProduction(s);
      s.config.providers!.emailCode!.sender = consoleSender();
    },
  },
  {
    id: 'redis_unreachable',
    title: 'Redis without a connection',
    seed: withConfig((c) => void (c.rateLimit = { store: redisCounters(closedRedis) })),
  },
  {
    id: 'storage_memory',
    title: 'the memory adapter in production',
    seed: (s) => {
      inProduction(s);
      s.config.adapter = memoryAdapter();
    },
  },
  {
    id: 'dpop_origin_missing',
    title: 'bearer sessions whose proofs name the Host header',
    seed: withConfig((c) => void (c.session.bearer = { dpop: 'required' })),
  },
  {
    id: 'dpop_origin_missing',
    title: 'bearer sessions that may be bound to a key, without an origin',
    seed: withConfig((c) => void (c.session.bearer = true)),
  },
  {
    id: 'bound_path',
    title: 'bound sessions at another path than the router',
    seed: withConfig((c) => void (c.session.bound = { path: '/auth' })),
  },
  { id: 'migrations_missing', title: 'a database without tables', seed: (s) => (s.init = false) },
  {
    id: 'clock_skew',
    title: 'a clock that is ahead',
    seed: withConfig((c) => void (c.clock = () => Date.now() + 60_000)),
  },
  {
    id: 'tables_unpurged',
    title: 'tables that are never purged',
    seed: (s) =>
      (s.changeDatabase = async (_service, { adapter }) =>
        void (await adapter.rateLimits.hit([{ key: 'a', windowMs: 1 }], Date.now() - 30 * 24 * 60 * 60_000))),
  },
];

beforeAll(async () => {
  silent = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
});

afterAll(() => new Promise((resolve) => silent.close(resolve)));

it('finds nothing in an application without mistakes', async () => {
  expect(await findingsOf(goodSetup())).toEqual([]);
});

it.each([
  ['express.json()', before((app) => app.use(express.json()))],
  ['express.raw() for everything', before((app) => app.use(express.raw({ type: '*/*' })))],
  ['express.text() for everything', before((app) => app.use(express.text({ type: '*/*' })))],
  [
    'a form parser under another path',
    before((app) => app.use('/webhooks', express.urlencoded({ extended: false, type: '*/*' }))),
  ],
  [
    'CORS for one origin',
    (s: Setup) => {
      s.config.trustedOrigins = ['https://app.acme.test'];
      before((app) => app.use(cors({ origin: ['https://app.acme.test'], credentials: true })))(s);
    },
  ],
  [
    'a chain of two proxies',
    (s: Setup) => {
      s.headers = { ...ofProxy, 'x-forwarded-for': '198.51.100.4, 192.0.2.1' };
      before((app) => app.set('trust proxy', 2))(s);
    },
  ],
  ['production', inProduction],
  [
    'bearer sessions with an origin',
    withConfig((c) => void (c.session.bearer = { dpop: 'required', origin: 'https://acme.test' })),
  ],
])('finds nothing with %s', async (_name, seed) => {
  const setup = goodSetup();
  seed(setup);
  expect(await findingsOf(setup)).toEqual([]);
});

it.each(mistakes.map(({ id, title, seed }) => [title, id, seed] as const))(
  'finds %s as %s, and nothing else',
  async (_title, id, seed) => {
    const setup = goodSetup();
    seed(setup);
    const found = await findingsOf(setup);
    expect(found.map((finding) => finding.id)).toEqual([id]);
    const [finding] = found;
    expect(finding).toMatchObject({ severity: findingKinds[id]!.severity, why: findingKinds[id]!.why });
    expect(finding!.fix).not.toBe('');
    for (const secret of [goodSecret, otherSecret]) expect(JSON.stringify(found)).not.toContain(secret);
  },
);

it('has seeded at least 25 kinds of mistakes', () => {
  expect(new Set(mistakes.map(({ id }) => id)).size).toBeGreaterThanOrEqual(25);
});

describe('on Express 4', () => {
  const app = () => express4();
  const service = () => createService(goodConfig());

  it('finds routers, parsers and CORS', async () => {
    const [examined, mounted] = [app(), service()];
    await mounted.init();
    examined.use(cors({ credentials: true }));
    examined.use('/api', express4.urlencoded({ extended: false, type: '*/*' }));
    examined.use('/api/auth', createAuthRouter(mounted));
    examined.use('/auth', createAuthRouter(mounted));
    examined.set('trust proxy', true);
    const found = await mounted.diagnose({ app: examined });
    await mounted.close();
    expect(found.map(({ id }) => id).sort()).toEqual([
      'cors_wildcard',
      'parser_eats_body',
      'router_twice',
      'trust_proxy_all',
    ]);
  });

  it('finds nothing in an application without routes', async () => {
    const examined = service();
    await examined.init();
    expect(await examined.diagnose({ app: app() })).toEqual([]);
    await examined.close();
  });
});

it.each([
  ['base64', () => randomBytes(32).toString('base64')],
  ['base64url of 24 bytes', () => randomBytes(24).toString('base64url')],
  ['hex of 32 bytes', () => randomBytes(32).toString('hex')],
  ['hex of 16 bytes', () => randomBytes(16).toString('hex')],
  ['two UUIDs', () => randomUUID() + randomUUID()],
])('takes no random secret for a weak one: %s', (_name, generate) => {
  const check = secrets.checks['the strength of secrets']!;
  for (let round = 0; round < 2_000; round += 1) {
    const session = { secret: generate(), previousSecrets: [] };
    expect(check({ config: { session, previousEncryptionKeys: [] } } as never)).toEqual([]);
  }
});

it('refuses what is neither an application nor a request', async () => {
  const service = createService(goodConfig());
  for (const options of [{ app: {} }, { request: {} }, { req: {} }])
    await expect(service.diagnose(options as never)).rejects.toMatchObject({ code: 'invalid_request' });
  await service.close();
});

it('lists every finding in docs/operate.md', () => {
  const text = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8');
  expect(Object.keys(findingKinds).filter((id) => !text.includes(`\`${id}\``))).toEqual([]);
});

it('seeds every finding that needs neither a server nor a refused configuration', () => {
  const elsewhere = [
    'check_incomplete',
    'configuration_invalid',
    'cookie_refused',
    'passkey_refused',
    'storage_unreachable',
    'migrations_ahead',
    'indexes_missing',
    'pool_small',
    'pool_exceeds_server',
    'role_superuser',
    'pooler_prepared',
    'pooler_listen',
  ];
  const seeded = new Set([...mistakes.map(({ id }) => id), ...elsewhere]);
  expect(Object.keys(findingKinds).filter((id) => !seeded.has(id))).toEqual([]);
});
