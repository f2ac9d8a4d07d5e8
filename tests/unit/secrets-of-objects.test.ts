// What an application prints, logs or serializes of the objects of this package contains no secret
//
import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import knex from 'knex';
import * as surface from 'svc-auth';
import {
  apple,
  asyncRoute,
  argon2idHasher,
  bcryptHasher,
  consoleSender,
  consoleSmsSender,
  createAuthRouter,
  createAdminRouter,
  createProRouter,
  createService,
  github,
  knexAdapter,
  memoryAdapter,
  optionalSession,
  pgliteAdapter,
  requireApiKey,
  deviseHasher,
  firebaseHasher,
  pbkdf2Hasher,
  phpassHasher,
  scryptHasher,
  shaCryptHasher,
  requireOrgRole,
  requireRole,
  requireSession,
  sameOrigin,
  serviceErrorHandler,
  smtpSender,
} from 'svc-auth';
import { createAdminPages } from 'svc-auth/admin';
import { createPages } from 'svc-auth/pages';
import { createClient } from 'svc-auth/client';
import { outbox, smsOutbox, softwareAuthenticator, testLicense } from 'svc-auth/testing';
import { everyProvider } from '../support/every-provider.js';

const secret = (name: string) => `the-${name}-which-no-log-may-contain-0123456789`;
const clientSecret = secret('client-secret');
const license = testLicense();

const appleKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const connection = { host: '127.0.0.1', user: 'svc', password: secret('database-password') };
const mail = smtpSender(
  { host: 'mail.test', auth: { user: 'svc', pass: secret('smtp-password') } },
  { from: 'a@b.test' },
);

const config = {
  session: { secret: secret('session-secret'), previousSecrets: [secret('previous-session-secret')] },
  encryptionKey: secret('encryption-key'),
  previousEncryptionKeys: [secret('previous-encryption-key')],
  ...license,
};

async function everyObject(): Promise<Record<string, unknown>> {
  const instance = knex({ client: 'pg', connection });
  const adapters = {
    knexAdapter: knexAdapter({ client: 'pg', connection }),
    'knexAdapter of an instance': knexAdapter(instance),
    memoryAdapter: memoryAdapter(),
    pgliteAdapter: pgliteAdapter(),
  };
  const providers = everyProvider({ mail, sms: smsOutbox() });
  const service = createService({
    ...config,
    adapter: adapters.memoryAdapter,
    providers: {
      ...providers,
      google: { ...providers.google, clientSecret },
      oauth: { acme: { ...providers.oauth.acme, clientSecret } },
    },
  });
  await service.init();
  const onKnex = createService({ ...config, adapter: adapters.knexAdapter });
  const wrong = () =>
    createService({ ...config, adapter: adapters.memoryAdapter, encryptionKey: config.session.secret });
  const members = Object.getOwnPropertyDescriptors(surface.Service.prototype);
  const accessors = Object.keys(members)
    .filter((name) => 'get' in members[name as 'account'])
    .map((name) => [`service.${name}`, service[name as 'account']] as const);
  await instance.destroy();
  return {
    ...adapters,
    service,
    'service on knex': onKnex,
    ...Object.fromEntries(accessors),
    'service.oauth': service.oauth('acme'),
    createAuthRouter: createAuthRouter(service),
    createProRouter: createProRouter(service),
    createAdminRouter: createAdminRouter(service, { authorize: () => true }),
    createAdminPages: createAdminPages(service, { authorize: () => true }),
    createPages: createPages(service, { name: 'Acme' }),
    asyncRoute: asyncRoute(() => undefined),
    requireSession: requireSession(service),
    sameOrigin: sameOrigin(service),
    serviceErrorHandler: serviceErrorHandler(service),
    optionalSession: optionalSession(service),
    requireApiKey: requireApiKey(service),
    requireOrgRole: requireOrgRole(service, { min: 'admin', org: () => undefined }),
    requireRole: requireRole(service, 'support'),
    healthRoute: surface.healthRoute(service),
    wellKnownRoutes: surface.wellKnownRoutes(service),
    smtpSender: mail,
    'smtpSender of a URL': smtpSender(`smtp://svc:${secret('smtp-password')}@mail.test`, {
      from: 'a@b.test',
    }),
    consoleSender: consoleSender(),
    consoleSmsSender: consoleSmsSender(),
    apple: apple({ teamId: 't', keyId: 'k', privateKey: appleKey }),
    github: github(),
    createClient: createClient({ baseUrl: '/', headers: { authorization: secret('client-header') } }),
    outbox: outbox(),
    softwareAuthenticator: softwareAuthenticator(),
    bcryptHasher: bcryptHasher(),
    argon2idHasher: argon2idHasher(),
    pbkdf2Hasher: pbkdf2Hasher(),
    scryptHasher: scryptHasher(),
    phpassHasher: phpassHasher(),
    shaCryptHasher: shaCryptHasher(),
    deviseHasher: deviseHasher({ pepper: secret('pepper') }),
    firebaseHasher: firebaseHasher({
      signerKey: Buffer.from(secret('signer-key')).toString('base64'),
      saltSeparator: 'Bw==',
    }),
    'a ConfigError': errorOf(wrong),
  };
}

function errorOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

const secrets = [
  /the-[\w-]+-which-no-log-may-contain/,
  /PRIVATE KEY/,
  new RegExp(license.licenseKey.slice(0, 40)),
];

function outputsOf(object: unknown): string {
  const forms = [
    inspect(object, { depth: Infinity }),
    inspect(object, { depth: Infinity, getters: true }),
    inspect(object, { depth: Infinity, showHidden: true }),
    JSON.stringify(object) ?? '',
    JSON.stringify({ ...(object as object) }),
    String(object),
  ];
  return forms.join('\n');
}

describe('objects of this package', () => {
  it('inspecting or serializing an object of this package shows no secret of the configuration', async () => {
    const leaking = Object.entries(await everyObject()).flatMap(([name, object]) => {
      const output = outputsOf(object);
      return secrets
        .filter((pattern) => pattern.test(output))
        .map((each) => `${name}: ${each.exec(output)?.[0]}`);
    });
    expect(leaking).toEqual([]);
  });

  it('the test covers the objects of every exported function', async () => {
    const examined = Object.keys(await everyObject());
    // These return strings, options that the application passed, or what a request contains.
    const others = [
      ...['Service', 'createService', 'discord', 'gitlab', 'microsoft', 'verifyToken'],
      // It is given the path of a file, and no secret.
      'sqliteAdapter',
      ...['canonicalEmail', 'mailLayout', 'rememberLinkBrowser', 'signInContext', 'signInResponse'],
      ...['startSession', 'endSession', 'watchSession'],
    ];
    const missing = Object.entries(surface)
      .filter(([, value]) => typeof value === 'function')
      .map(([name]) => name)
      .filter((name) => !/Error$|^is[A-Z]|^openapiDocument$/.test(name))
      .filter((name) => !examined.includes(name) && !others.includes(name));
    expect(missing).toEqual([]);
  });

  it('the check detects a secret in a plain object', () => {
    expect(outputsOf({ a: { b: config.encryptionKey } })).toMatch(secrets[0]!);
  });
});
