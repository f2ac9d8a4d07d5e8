/** Opens the service that a command works on: from a configuration file, or on the database of DATABASE_URL. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { knexAdapter } from '../adapters/sql/knex-adapter.js';
import type { ServiceConfig } from '../config/schema.js';
import { randomToken } from '../crypto/random.js';
import type { Logger } from '../core/support/logger.js';
import { hasMethod } from '../core/support/has-method.js';
import { createService, type Service } from '../engine/service.js';
import { isServiceError } from '../errors/service-error.js';
import { UsageError } from './arguments.js';
import type { Terminal } from './terminal.js';

/**
 * Runs `task` with a service, and closes the service.
 * @param configFile a module whose default export is a Service or the configuration of one.
 * @throws UsageError if there is neither a file nor DATABASE_URL, or the file has another export.
 */
export async function withService<T>(
  configFile: string | undefined,
  { env, terminal }: { env: NodeJS.ProcessEnv; terminal: Terminal },
  task: (service: Service) => Promise<T>,
): Promise<T> {
  const service =
    configFile === undefined
      ? serviceOnDatabase(env['DATABASE_URL'], terminal)
      : await serviceOfFile(path.resolve(configFile));
  try {
    await service.init();
    return await task(service);
  } finally {
    await service.close();
  }
}

function serviceOnDatabase(url: string | undefined, { errors }: Terminal): Service {
  if (!url) throw new UsageError('Set DATABASE_URL, or pass --config <file>.');
  // The driver would take anything else for the name of a local database. The value is not repeated: it contains a password.
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw new UsageError('DATABASE_URL must start with postgres://.');
  const print = (_fields: object, message: string) => void errors.write(`svc-auth: ${message}\n`);
  const logger: Logger = { debug() {}, info() {}, warn: print, error: print };
  const noMail = async () => {
    throw new Error('A service without a configuration file sends no mail.');
  };
  return createService({
    adapter: knexAdapter({ client: 'pg', connection: url }),
    // The commands issue and verify no token, so the application's secret is not needed.
    session: { secret: randomToken(48) },
    logger,
    // For the rules of passwords and their hashes.
    providers: { emailPassword: { sender: { send: noMail } } },
  });
}

async function serviceOfFile(file: string): Promise<Service> {
  if (!existsSync(file)) throw new UsageError(`The configuration file ${file} does not exist.`);
  const exported = await defaultExportOf(file);
  // Not `instanceof`: the file may load another copy of this package, such as the CommonJS one.
  if (hasMethod(exported, 'init') && hasMethod(exported, 'close')) return exported as Service;
  if (typeof exported === 'object' && exported !== null && 'adapter' in exported)
    return createService(exported as ServiceConfig);
  throw new UsageError(
    `The default export of ${file} must be a Service or a configuration of createService.`,
  );
}

async function defaultExportOf(file: string): Promise<unknown> {
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    if (isServiceError(error)) throw error;
    throw new Error(`Cannot load ${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  const exported = module.default;
  // A compiler that translates ES modules to CommonJS puts the default export into a property.
  const isTranslated = typeof exported === 'object' && exported !== null && '__esModule' in exported;
  return isTranslated ? (exported as { default?: unknown }).default : exported;
}
