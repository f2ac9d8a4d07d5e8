/** Opens the service that a command works on: from a configuration file, or on the database of DATABASE_URL. */
import path from 'node:path';
import { randomToken } from '../crypto/random.js';
import type { PasswordHasher } from '../core/passwords/password-hasher.js';
import { internals, type ServiceInternals } from '../core/internals.js';
import type { Logger } from '../core/support/logger.js';
import { createService, type Service } from '../engine/service.js';
import type { StorageAdapter } from '../storage/adapter.js';
import { UsageError } from './arguments.js';
import { serviceOfFile } from './config-module.js';
import { adapterOfUrl } from './database-url.js';
import type { Terminal } from './terminal.js';

interface OpenOptions {
  /** Of a service without a file. Default: bcrypt. */
  hasher?: PasswordHasher | undefined;
  /** What is called before the task. Default: `service.init()`. */
  init?: (service: Service) => Promise<void>;
  /** Whether the task changes what an audit log records. Default: no. */
  isRecorded?: boolean | undefined;
}

/** For commands that must not change the schema. */
export const withoutMigration = { init: (service: Service) => service.init({ migrate: false }) };

/** For commands on the schema itself. */
export const withoutInit = { init: async () => undefined };

/**
 * Runs `task` with a service, and closes the service.
 * @param configFile a module that exports a Service or the configuration of one.
 * @throws UsageError if there is neither a file nor DATABASE_URL, or one of them cannot be used.
 */
export async function withService<T>(
  configFile: string | undefined,
  { env, terminal }: { env: NodeJS.ProcessEnv; terminal: Terminal },
  task: (service: Service) => Promise<T>,
  { hasher, init = (service) => service.init(), isRecorded = false }: OpenOptions = {},
): Promise<T> {
  const service =
    configFile === undefined
      ? serviceOnDatabase(env['DATABASE_URL'], terminal, hasher)
      : await serviceOfFile(path.resolve(configFile));
  try {
    await init(service);
    if (isRecorded && configFile === undefined) await mustNotBeAudited(service[internals].storage);
    // A file can export the service of another copy of the package, whose records name the system.
    const { actingRequests } = (service[internals] as ServiceInternals | undefined) ?? {};
    if (!actingRequests) return await task(service);
    return await actingRequests.run(
      () => ({ actors: [{ type: 'command_line' }] }),
      () => task(service),
    );
  } finally {
    await service.close();
  }
}

/** A service without the configuration has no secret to sign a record with. */
async function mustNotBeAudited({ audit }: StorageAdapter): Promise<void> {
  if ((await audit?.readState()) != null)
    throw new UsageError('This database has an audit log. Pass --config <file>, so that the change is recorded.');
}

function serviceOnDatabase(
  url: string | undefined,
  { errors }: Terminal,
  hasher: PasswordHasher | undefined,
): Service {
  if (!url) throw new UsageError('Set DATABASE_URL, or pass --config <file>.');
  const print = (_fields: object, message: string) => void errors.write(`svc-auth: ${message}\n`);
  const logger: Logger = { debug() {}, info() {}, warn: print, error: print };
  const noMail = async () => {
    throw new Error('A service without a configuration file sends no mail.');
  };
  return createService({
    adapter: adapterOfUrl(url),
    // The commands issue and verify no token, so the application's secret is not needed.
    session: { secret: randomToken(48) },
    logger,
    // For the rules of passwords and their hashes.
    providers: { emailPassword: { sender: { send: noMail }, ...(hasher && { hasher }) } },
  });
}
