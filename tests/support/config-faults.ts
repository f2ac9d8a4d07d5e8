/** A valid configuration, and the faults and warnings of others. */
import { ConfigError, memoryAdapter } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { parseConfig, warnAbout } from '../../src/config/parse-config.js';
import { silentLogger } from '../../src/core/support/logger.js';

export const secret = 'the secret that signs, of 32 bytes or more';
export const adapter = memoryAdapter();
export const validConfig = { adapter, session: { secret } };
export const sender = outbox();

/** Returns the path and message of every fault of a configuration. */
export function faultsOf(config: unknown, isProduction = false): string[] {
  try {
    parseConfig(config, isProduction);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ path, message }) => `${path}: ${message}`);
  }
}

/** Returns the sorted paths of the faults of a configuration. */
export const pathsOf = (config: unknown, isProduction = false) =>
  faultsOf(config, isProduction)
    .map((fault) => fault.split(':')[0])
    .sort();

/** Returns the options that cause warnings at construction, and the messages. */
export function warningsOf(config: object): { options: unknown[]; messages: string[] } {
  const options: unknown[] = [];
  const messages: string[] = [];
  const logger = {
    ...silentLogger,
    warn(fields: object, message: string) {
      options.push((fields as { option: string }).option);
      messages.push(message);
    },
  };
  warnAbout(parseConfig({ ...validConfig, logger, ...config }, false), logger);
  return { options, messages };
}

export const withSession = (options: object) => ({ ...validConfig, session: { secret, ...options } });
