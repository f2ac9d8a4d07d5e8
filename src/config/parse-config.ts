/** Validates the configuration; one error lists every fault. */
import type { $ZodIssue } from 'zod/v4/core';
import { ConfigError, type ConfigFault } from '../errors/catalog.js';
import { isSafeUrl } from '../core/support/link-targets.js';
import type { Logger } from '../core/support/logger.js';
import { httpFaults, insecureEndpoints } from '../providers/oauth/client-options.js';
import { serverFaults } from '../providers/oauth/oauth-options.js';
import { providerTable } from '../providers/table.js';
import { signUpOptions } from '../core/sign-ups/sign-up-options.js';
import { installationOf } from '../runtime/load.js';
import type { OptionalPackage } from '../runtime/optional-package.js';
import { unknownOption } from '../errors/closest-name.js';
import { serviceConfig, type ParsedConfig } from './schema.js';
import { alternatives, isOfOtherKind, kindsIn } from './union-faults.js';

/** Returns the configuration with its defaults. @throws ConfigError with every fault and its path. */
export function parseConfig(
  input: unknown,
  isProduction = process.env['NODE_ENV'] === 'production',
): ParsedConfig {
  const schema = serviceConfig(providersIn(input));
  // Without `jitless`, zod first compiles a parser of every object, which takes longer than parsing one configuration.
  const parsed = schema.safeParse(input, { jitless: true });
  const issues = parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOf(issue, schema));
  const isReported = (fault: ConfigFault) => issues.some(({ path }) => path === fault.path);
  const crossFieldFaults = [
    ...secretFaults(input, isProduction),
    ...oauthFaults(input),
    ...packageFaults(input),
  ];
  const faults = [...issues, ...crossFieldFaults.filter((fault) => !isReported(fault))];
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return parsed.data;
}

/** Returns whether the raw input configures a provider. */
function providersIn(input: unknown): (name: string) => boolean {
  const { providers } = (input ?? {}) as { providers?: Record<string, unknown> | null };
  return (name) => providers?.[name] !== undefined;
}

/** Logs a warning for each setting that is accepted but unsafe in production. */
export function warnAbout(config: ParsedConfig, logger: Pick<Logger, 'warn'>): void {
  const { session, code, providers } = config;
  const secrets = { 'session.secret': session.secret, encryptionKey: config.encryptionKey };
  for (const [option, secret] of Object.entries(secrets)) {
    if (secret !== undefined && isWeak(secret))
      logger.warn({ option }, `${option} ${weakSecret} It is rejected in production.`);
  }
  if (code.length < 6)
    logger.warn({ option: 'code.length' }, 'code.length under 6 makes codes easy to guess.');
  if (providers.phoneOtp && !providers.phoneOtp.allowCountry) {
    logger.warn(
      { option: 'providers.phoneOtp.allowCountry' },
      'Text messages cost money, and anyone can have one sent to any country. Allow only the countries you serve with allowCountry.',
    );
  }
  if (session.acceptSessionsFrom.length > 0 && !session.acceptSessionsUntil) {
    logger.warn(
      { option: 'session.acceptSessionsUntil' },
      'Sessions of the former system are accepted without an end. Set a date with session.acceptSessionsUntil.',
    );
  }
  const urls: Record<string, string | undefined> = {
    'providers.magicLink.baseUrl': providers.magicLink?.baseUrl,
    'providers.emailPassword.resetUrl': providers.emailPassword?.resetUrl,
    'providers.google.redirectUri': providers.google?.redirectUri,
  };
  for (const [name, { redirectUri }] of Object.entries(providers.oauth ?? {})) {
    urls[`providers.oauth.${name}.redirectUri`] = redirectUri;
  }
  const identityProviders = Object.entries({
    google: providers.google,
    ...prefixed('oauth.', providers.oauth),
  });
  for (const [name, options] of identityProviders) {
    for (const [endpoint, url] of insecureEndpoints(options ?? {}))
      urls[`providers.${name}.${endpoint}`] = url;
  }
  for (const [option, url] of Object.entries(urls)) {
    if (url !== undefined && !isSafeUrl(new URL(url))) {
      logger.warn({ option }, `${option} uses plain http: anyone on the network can read its tokens.`);
    }
  }
}

function prefixed<T>(prefix: string, entries: Record<string, T> = {}): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [prefix + name, value]));
}

const weakSecret = 'must be at least 32 bytes and random; `openssl rand -base64 48` generates one.';

/** The faults between secrets. Takes the raw input, so that they are reported together with all others. */
function secretFaults(input: unknown, isProduction: boolean): ConfigFault[] {
  const { session, encryptionKey, previousEncryptionKeys } = (input ?? {}) as {
    session?: { secret?: unknown; previousSecrets?: unknown } | null;
    encryptionKey?: unknown;
    previousEncryptionKeys?: unknown;
  };
  const [secret, previousSecrets] = [session?.secret, session?.previousSecrets];
  const currentSecrets = { 'session.secret': secret, encryptionKey };
  const weak = Object.entries(currentSecrets).filter(
    ([, secret]) => typeof secret === 'string' && isWeak(secret),
  );
  const previousKeys = listOf(previousEncryptionKeys).map(
    (key, i) => [`previousEncryptionKeys.${i}`, key] as const,
  );
  // A process that verifies tokens offline has the session secrets, including the previous ones.
  const sessionSecrets = [secret, ...listOf(previousSecrets)].filter((secret) => typeof secret === 'string');
  const reused = [['encryptionKey', encryptionKey] as const, ...previousKeys].filter(([, key]) =>
    sessionSecrets.includes(key as string),
  );
  return [
    ...(isProduction ? weak.map(([path]) => ({ path, message: weakSecret })) : []),
    ...reused.map(([path]) => ({ path, message: 'must not be a session secret: generate a separate one' })),
  ];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The faults between the options of each identity provider, also from the raw input. */
function oauthFaults(input: unknown): ConfigFault[] {
  const { providers } = (input ?? {}) as { providers?: { google?: unknown; oauth?: unknown } };
  const { google } = providers ?? {};
  const ofGoogle = typeof google === 'object' && google !== null ? httpFaults(google) : [];
  const others = Object.entries(providers?.oauth ?? {}).flatMap(([name, options]: [string, unknown]) =>
    typeof options === 'object' && options !== null
      ? serverFaults(options).map(({ path, message }) => ({
          path: `providers.oauth.${name}.${path}`,
          message,
        }))
      : [],
  );
  return [...ofGoogle.map(({ path, message }) => ({ path: `providers.google.${path}`, message })), ...others];
}

/** The packages that the configured providers and options need and that are not installed. */
function packageFaults(input: unknown): ConfigFault[] {
  const isConfigured = providersIn(input);
  const ofProviders = Object.entries(providerTable).flatMap(([name, entry]) => {
    if (!('package' in entry) || !isConfigured(name)) return [];
    const message = entry.package && installationOf(entry.package);
    return message === undefined ? [] : [{ path: `providers.${name}`, message }];
  });
  return [...ofProviders, ...signUpPackageFaults(input), ...telemetryPackageFaults(input)];
}

function telemetryPackageFaults(input: unknown): ConfigFault[] {
  const { telemetry } = (input ?? {}) as { telemetry?: unknown };
  const message = telemetry === true ? installationOf('@opentelemetry/api') : undefined;
  return message === undefined ? [] : [{ path: 'telemetry', message }];
}

function signUpPackageFaults(input: unknown): ConfigFault[] {
  const { signUp } = (input ?? {}) as { signUp?: unknown };
  const parsed = signUpOptions.safeParse(signUp, { jitless: true });
  if (!parsed.success) return [];
  const { challenge, disposable } = parsed.data;
  const needed: [boolean, string, OptionalPackage][] = [
    [disposable.refuse && !disposable.list, 'signUp.disposable.refuse', 'disposable-email-domains-js'],
    [challenge?.provider === 'proof-of-work', 'signUp.challenge', 'altcha-lib'],
  ];
  return needed.flatMap(([isNeeded, path, name]) => {
    const message = isNeeded ? installationOf(name) : undefined;
    return message === undefined ? [] : [{ path, message }];
  });
}

// HS256 secrets can be guessed offline: RFC 7518, 3.2 requires 256 bits, and "aaaa…" has almost no entropy.
function isWeak(secret: string): boolean {
  return Buffer.byteLength(secret) < 32 || new Set(secret).size < 8;
}

function faultsOf(issue: $ZodIssue, schema: unknown): ConfigFault[] {
  if (issue.code === 'unrecognized_keys') {
    const names = keysAt(schema, issue.path);
    return issue.keys.map((key) => ({
      path: formatPath([...issue.path, key]),
      message: unknownOption(key, names),
    }));
  }
  // The name of an entry in a record whose names the application chooses.
  if (issue.code === 'invalid_key')
    return issue.issues.map(({ message }) => ({ path: formatPath(issue.path), message }));
  if (issue.code === 'invalid_union') {
    const close = issue.errors.filter((branch) => !isOfOtherKind(branch));
    return close.length === 0
      ? [{ path: formatPath(issue.path), message: `must be ${alternatives(kindsIn(issue))}` }]
      : close.flat().flatMap((each) => faultsOf({ ...each, path: [...issue.path, ...each.path] }, schema));
  }
  return [{ path: formatPath(issue.path), message: issue.message }];
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '(configuration)' : path.map(String).join('.');
}

interface SchemaNode {
  shape?: Record<string, SchemaNode>;
  valueType?: SchemaNode;
  def?: { innerType?: SchemaNode; in?: SchemaNode; options?: SchemaNode[] };
}

/** The option names of the object at `path`, through defaults, optionals, unions and records. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  const open = (node: SchemaNode | undefined): SchemaNode | undefined => {
    const inner =
      node?.def?.innerType ?? node?.def?.in ?? node?.def?.options?.find((option) => open(option)?.shape);
    return node?.shape || node?.valueType ? node : inner && open(inner);
  };
  const node = path.reduce<SchemaNode | undefined>(
    (at, key) => {
      const parent = open(at);
      return open(parent?.shape ? parent.shape[String(key)] : parent?.valueType);
    },
    open(schema as SchemaNode),
  );
  return Object.keys(node?.shape ?? {});
}
