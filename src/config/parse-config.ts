/** From what the application wrote to a configuration that holds, or to one error that lists every fault. */
import type { $ZodIssue } from 'zod/v4/core';
import { ConfigError, type ConfigFault } from '../errors/catalog.js';
import { isSafeUrl } from '../kit/link-targets.js';
import type { Logger } from '../kit/logger.js';
import { serverFaults } from '../providers/oauth/oauth-options.js';
import { lazily, loadZod } from '../runtime/load.js';
import { closestName } from './closest-name.js';
import { serviceConfig, type ParsedConfig } from './schema.js';

/** @throws ConfigError with every fault and its path. */
export function parseConfig(
  input: unknown,
  isProduction = process.env['NODE_ENV'] === 'production',
): ParsedConfig {
  const schema = configSchema();
  const parsed = schema.safeParse(input);
  const issues = parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOf(issue, schema));
  const isKnown = (fault: ConfigFault) => issues.some(({ path }) => path === fault.path);
  const further = [...secretFaults(input, isProduction), ...oauthFaults(input)];
  const faults = [...issues, ...further.filter((fault) => !isKnown(fault))];
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return parsed.data;
}

// Made once: it takes longer than most constructors do, and holds no state.
const configSchema = lazily(() => serviceConfig(loadZod()));

/** Logs what is allowed but should not stay so. */
export function warnAbout(config: ParsedConfig, logger: Pick<Logger, 'warn'>): void {
  const { session, code, providers } = config;
  const secrets = { 'session.secret': session.secret, encryptionKey: config.encryptionKey };
  for (const [option, secret] of Object.entries(secrets)) {
    if (secret !== undefined && isWeak(secret))
      logger.warn({ option }, `${option} ${weakSecret} Production refuses it.`);
  }
  if (code.length < 6)
    logger.warn({ option: 'code.length' }, 'code.length under 6 makes codes easy to guess.');
  if (providers.phoneOtp && !providers.phoneOtp.allowCountry) {
    logger.warn(
      { option: 'providers.phoneOtp.allowCountry' },
      'Text messages cost money, and anyone can have one sent to any country. Allow only the countries you serve with allowCountry.',
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
  for (const [option, url] of Object.entries(urls)) {
    if (url !== undefined && !isSafeUrl(new URL(url))) {
      logger.warn({ option }, `${option} is plain http: everybody on the way can read its tokens.`);
    }
  }
}

const weakSecret = 'must be at least 32 bytes and random; `openssl rand -base64 48` makes one.';

/** What no single option shows; asked of the input as it stands, so that it is reported beside all other faults. */
function secretFaults(input: unknown, isProduction: boolean): ConfigFault[] {
  const { session, encryptionKey, previousEncryptionKeys } = (input ?? {}) as {
    session?: { secret?: unknown; previousSecrets?: unknown } | null;
    encryptionKey?: unknown;
    previousEncryptionKeys?: unknown;
  };
  const [secret, previousSecrets] = [session?.secret, session?.previousSecrets];
  const inUse = { 'session.secret': secret, encryptionKey };
  const weak = Object.entries(inUse).filter(([, each]) => typeof each === 'string' && isWeak(each));
  const earlier = listOf(previousEncryptionKeys).map(
    (key, i) => [`previousEncryptionKeys.${i}`, key] as const,
  );
  // Whoever verifies tokens offline has the session secrets, those before the present one included.
  const shared = [secret, ...listOf(previousSecrets)].filter((each) => typeof each === 'string');
  const same = [['encryptionKey', encryptionKey] as const, ...earlier].filter(([, key]) =>
    shared.includes(key as string),
  );
  return [
    ...(isProduction ? weak.map(([path]) => ({ path, message: weakSecret })) : []),
    ...same.map(([path]) => ({ path, message: 'must not be a session secret: make a second one' })),
  ];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The same for each of the generic OAuth providers. */
function oauthFaults(input: unknown): ConfigFault[] {
  const { providers } = (input ?? {}) as { providers?: { oauth?: unknown } };
  return Object.entries(providers?.oauth ?? {}).flatMap(([name, options]: [string, unknown]) =>
    typeof options === 'object' && options !== null
      ? serverFaults(options).map(({ path, message }) => ({
          path: `providers.oauth.${name}.${path}`,
          message,
        }))
      : [],
  );
}

// HS256 secrets are guessed offline: RFC 7518, 3.2 wants 256 bits, and "aaaa…" has none.
function isWeak(secret: string): boolean {
  return Buffer.byteLength(secret) < 32 || new Set(secret).size < 8;
}

function faultsOf(issue: $ZodIssue, schema: unknown): ConfigFault[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path);
    return issue.keys.map((key) => {
      const suggestion = closestName(key, known);
      const hint = suggestion === undefined ? `known are ${known.join(', ')}` : `did you mean ${suggestion}?`;
      return { path: pathText([...issue.path, key]), message: `is not an option; ${hint}` };
    });
  }
  // The name of an entry, in a record whose names are the application's.
  if (issue.code === 'invalid_key')
    return issue.issues.map(({ message }) => ({ path: pathText(issue.path), message }));
  if (issue.code === 'invalid_union') {
    const branches = issue.errors.flat().filter(({ path }) => path.length > 0);
    const nested = branches.flatMap((each) =>
      faultsOf({ ...each, path: [...issue.path, ...each.path] }, schema),
    );
    if (nested.length > 0) return nested;
  }
  return [{ path: pathText(issue.path), message: issue.message }];
}

function pathText(path: readonly PropertyKey[]): string {
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
      const holder = open(at);
      return open(holder?.shape ? holder.shape[String(key)] : holder?.valueType);
    },
    open(schema as SchemaNode),
  );
  return Object.keys(node?.shape ?? {});
}
