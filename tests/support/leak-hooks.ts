/**
 * Brings what a service takes and gives to its scan for leaks: results and errors of every method, events, log lines,
 * messages, and what reaches the storage. Nobody sees a difference: calls go through as they are.
 */
import { createService } from 'svc-auth';
import type { EmailSender, Logger, Service, ServiceConfig, SmsSender, StorageAdapter } from 'svc-auth';
import type { Answer } from './http-client.js';
import { allowedInAnswer, allowedInError, allowedInResult } from './leak-allowances.js';
import { learnStored, LeakScan } from './leak-scan.js';
import { textsIn } from './texts-in.js';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** What is in private fields: there is no other way to every provider at once. */
interface Inside {
  providers: Record<string, object | undefined> & { oauth: Map<string, object> };
  tools: { events: { emit: (name: string, payload: object) => void } };
}

const ownMethods = [
  'init',
  'close',
  'createSessionToken',
  'verifyToken',
  'getSessionUser',
  'purgeExpired',
] as const;
const passwords = /^(?:password|currentPassword|newPassword)$/;
const keys = /^session\.(?:secret|previousSecrets)$|ncryptionKeys?$|^licenseKey$|clientSecret$|privateKey$/;

/** How every service of the tests is made, by makeService() or here. */
export function watchedService(config: ServiceConfig, leaks = new LeakScan()) {
  const watched = watchedConfig(config, leaks);
  let service: Service;
  try {
    service = createService(watched);
  } catch (error) {
    leaks.look('an error of createService', error);
    throw error;
  }
  watchService(service, leaks);
  return { service, config: watched, leaks };
}

/** The configuration, with what the scan must see of it. */
function watchedConfig(config: ServiceConfig, scan: LeakScan): ServiceConfig {
  for (const { path, text } of textsIn({ ...config, adapter: undefined, logger: undefined })) {
    if (keys.test(path)) scan.learnPhrase('a key of the configuration', text);
  }
  return {
    ...config,
    adapter: watchedAdapter(config.adapter, scan),
    logger: config.logger && watchedLogger(config.logger, scan),
    providers: watchedSenders(config.providers, scan),
  };
}

/** In place: whatever was handed out before would not be seen. */
function watchService(service: Service, scan: LeakScan): void {
  const { providers, tools } = service as unknown as Inside;
  for (const [name, provider] of Object.entries(providers)) {
    if (provider instanceof Map) continue;
    if (provider) providers[name] = watched(provider, name, scan);
  }
  for (const [name, provider] of providers.oauth) providers.oauth.set(name, watched(provider, 'oauth', scan));
  const methods = service as unknown as Record<string, Method>;
  for (const name of ownMethods) {
    const method = methods[name]!.bind(service);
    Object.defineProperty(service, name, {
      value: (...args: unknown[]) => looked(name, args, () => method(...args), scan),
      configurable: true,
      writable: true,
    });
  }
  const { events } = tools;
  const emit = events.emit.bind(events);
  events.emit = (name, payload) => {
    scan.look(`event ${name}`, payload);
    emit(name, payload);
  };
}

/** Those that are sent in. */
export function learnPasswords(scan: LeakScan, input: unknown): void {
  for (const { path, text } of textsIn(input)) if (passwords.test(path)) scan.learnPhrase('a password', text);
}

/** A challenge is what the browser is told in the body too, and signs. */
const challengeCookie = /^svc_webauthn/;

/** An answer of a route: a cookie is the place for a token, so that it must be nowhere else in it. */
export function lookAtAnswer(scan: LeakScan, method: string, route: string, answer: Answer): void {
  const { status, text, json, cookies } = answer;
  const { 'set-cookie': _, ...headers } = answer.headers;
  for (const { name, value } of cookies)
    if (!challengeCookie.test(name)) scan.learn(`the cookie ${name}`, value);
  // A text of digits alone is JSON as well.
  const body = typeof json === 'object' ? { json: json as unknown } : { text };
  const where = `the answer ${status} of ${method} ${route.split('?')[0]}`;
  scan.lookAtGiven(where, { headers, ...body }, allowedInAnswer(method, route));
}

function watched<T extends object>(provider: T, name: string, scan: LeakScan): T {
  return through(
    provider,
    (method, key) =>
      (...args) =>
        looked(`${name}.${key}`, args, () => method.apply(provider, args), scan),
  );
}

/** The same result, or the same error, once it was looked at. */
function looked(name: string, args: unknown[], call: () => unknown, scan: LeakScan): unknown {
  if (name.startsWith('emailPassword.')) learnPasswords(scan, args[0]);
  const give = <Result>(result: Result): Result => {
    scan.lookAtGiven(`the result of ${name}`, result, allowedInResult(name));
    return result;
  };
  const fail = (error: unknown): never => {
    scan.look(`an error of ${name}`, error, allowedInError(codeOf(error)));
    throw error;
  };
  try {
    const result = call();
    // The promise that is returned is the one that rejects: if nobody handles it, that still shows.
    return result instanceof Promise ? result.then(give, fail) : give(result);
  } catch (error) {
    return fail(error);
  }
}

function codeOf(error: unknown): unknown {
  try {
    return (error as { code?: unknown } | null | undefined)?.code;
  } catch {
    return undefined;
  }
}

/** Methods that keep nothing of what they are given: an application may ask for anything, a token in place of an id too. */
const onlyLooksUp =
  /^(?:find|list|delete|revoke|roleOf|isGuest|consume|discard|remove|unlink|touch|count|disable)/;
/** Hashes and ciphertexts on their way in become known by it; ids of credentials and of accounts elsewhere are public. */
const publicTables = ['credentials', 'identities'];

function watchedAdapter(adapter: StorageAdapter, scan: LeakScan): StorageAdapter {
  if (typeof adapter !== 'object' || adapter === null) return adapter;
  const repositories = new Map<object, object>();
  return new Proxy(adapter, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value === 'function') return value.bind(target) as unknown;
      if (typeof value !== 'object' || value === null || typeof key === 'symbol') return value;
      const known = repositories.get(value);
      if (known) return known;
      const repository = through(value, (method, name) => (...args) => {
        if (!onlyLooksUp.test(name)) {
          const texts = textsIn(args);
          scan.lookAtStored(`${key}.${name}`, texts);
          if (!publicTables.includes(key)) for (const { text } of texts) learnStored(text);
        }
        return method.apply(value, args);
      });
      repositories.set(value, repository);
      return repository;
    },
  });
}

function watchedLogger(logger: Logger, scan: LeakScan): Logger {
  const level = (name: keyof Logger) => (fields: object, message: string) => {
    scan.look(`the log (${name})`, { fields, message });
    logger[name](fields, message);
  };
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}

/** One per sender, as a service closes each of them once. */
function watchedSenders(providers: ServiceConfig['providers'], scan: LeakScan): ServiceConfig['providers'] {
  const senders = new Map<object, object>();
  const watch = (sender: EmailSender | SmsSender) => {
    const known = senders.get(sender);
    if (known) return known;
    const made = through(sender, (method, name) => (...args) => {
      if (name === 'send') for (const { text } of textsIn(args)) scan.learnMessage(text);
      return method.apply(sender, args);
    });
    senders.set(sender, made);
    return made;
  };
  const entries = Object.entries(providers ?? {}).map(([name, options]: [string, unknown]) => {
    const { sender } = (typeof options === 'object' && options) as { sender?: EmailSender };
    const canBeWatched = typeof sender === 'object' && sender !== null;
    return [name, canBeWatched ? { ...(options as object), sender: watch(sender) } : options];
  });
  return Object.fromEntries(entries) as ServiceConfig['providers'];
}

/** The object, with its methods replaced; each is made once, as methods of an object are. */
function through<T extends object>(target: T, replace: (method: Method, name: string) => Method): T {
  const made = new Map<unknown, Method>();
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key, object);
      if (typeof value !== 'function' || typeof key === 'symbol' || key === 'constructor') return value;
      const known = made.get(value);
      if (known) return known;
      const method = replace(value as Method, key);
      made.set(value, method);
      return method;
    },
  });
}
