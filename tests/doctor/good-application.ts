/** A configuration and an application in which the doctor finds nothing. A test changes one thing. */
import express, { type Express } from 'express';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createAuthRouter,
  createService,
  sqliteAdapter,
  type Finding,
  type Service,
  type ServiceConfig,
} from 'svc-auth';

const mailed = { send: async () => undefined };

/** From `openssl rand -base64 48`. */
export const goodSecret = 'q1xZ0m4Wv7pJ9sYk2cTfLh8RbNd3GgEa5UuVoXiPzQe6MwKyStCjBnHl';
export const otherSecret = 'Zp3Lk8VtYw1QeRmXs6Ua0CbNj4HgFdTi9OyKq2WzEv7SxDcPuGnJlMh5';

export function goodConfig(): ServiceConfig {
  return {
    adapter: sqliteAdapter(),
    session: { secret: goodSecret },
    encryptionKey: otherSecret,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    providers: {
      emailCode: { sender: mailed },
      magicLink: { sender: mailed, baseUrl: 'https://acme.test/api/auth/magic-link/verify' },
      emailPassword: { sender: mailed, resetUrl: 'https://acme.test/reset' },
      webauthn: { rpId: 'acme.test', origins: ['https://acme.test'] },
    },
  };
}

export interface Setup {
  config: ServiceConfig;
  /** Mounts what comes before the router. */
  before: (app: Express, service: Service) => void;
  /** Mounts what comes after the router. */
  after: (app: Express, service: Service) => void;
  /** Headers of the request. */
  headers: Record<string, string>;
  method: string;
  init: boolean;
  /** Changes the database after `init()`. */
  changeDatabase: (service: Service, config: ServiceConfig) => Promise<void>;
  env: Record<string, string>;
}

/** What a proxy with TLS adds. */
export const ofProxy = { host: 'acme.test', 'x-forwarded-for': '198.51.100.4', 'x-forwarded-proto': 'https' };

export function goodSetup(): Setup {
  return {
    config: goodConfig(),
    before: (app) => app.set('trust proxy', 1),
    after: () => undefined,
    headers: { ...ofProxy },
    method: 'GET',
    init: true,
    changeDatabase: async () => undefined,
    env: {},
  };
}

/** Starts the application, sends it a request, and returns what the doctor finds during that request. */
export async function findingsOf({
  config,
  before,
  after,
  headers,
  method,
  init,
  changeDatabase,
  env,
}: Setup) {
  const saved = { ...process.env };
  Object.assign(process.env, env);
  const service = createService(config);
  const app = express();
  try {
    if (init) await service.init();
    await changeDatabase(service, config);
    before(app, service);
    app.use('/api/auth', createAuthRouter(service));
    after(app, service);
    let found: Finding[] = [];
    app.use((req, res, next) => {
      service
        .diagnose({ request: req })
        .then((findings) => {
          found = findings;
          res.end();
        })
        .catch(next);
    });
    await sendRequest(app, method, headers);
    return found;
  } finally {
    await service.close();
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, saved);
  }
}

async function sendRequest(app: Express, method: string, headers: Record<string, string>): Promise<void> {
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const body = method === 'POST' ? '{"a":1}' : '';
  await new Promise<void>((resolve, reject) => {
    const sent = request(
      { port, host: '127.0.0.1', path: '/doctor', method, headers, agent: false },
      (res) => {
        if (res.statusCode !== 200) reject(new Error(`status ${res.statusCode}`));
        res.resume().on('end', resolve);
      },
    );
    sent.on('error', reject).end(body);
  });
  await new Promise((resolve) => server.close(resolve));
}
