/**
 * Passes the input and output of a service to its leak scan: results and errors of every method, events, log lines,
 * messages and writes to the storage. Calls themselves are unchanged.
 */
import { createService } from 'svc-auth';
import type { EmailSender, Logger, Service, ServiceConfig, SmsSender, StorageAdapter } from 'svc-auth';
import type { HttpResponse } from './http-client.js';
import { allowedInResponse, allowedInError, allowedInResult } from './leak-allowances.js';
import { learnStored, LeakScan } from './leak-scan.js';
import { findStrings } from './find-strings.js';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Private fields of the service, the only access to every provider. */
interface Inside {
  providers: Record<string, object | undefined>;
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

/** Creates a service that the leak scan watches. Every service of the tests is created here or by makeService(). */
export function watchedService(config: ServiceConfig, leaks = new LeakScan()) {
  const watched = watchedConfig(config, leaks);
  let service: Service;
  try {
    service = createService(watched);
  } catch (error) {
    leaks.scan('an error of createService', error);
    throw error;
  }
  watchService(service, leaks);
  return { service, config: watched, leaks };
}

/** Wraps the parts of the configuration that the scan must observe. */
function watchedConfig(config: ServiceConfig, scan: LeakScan): ServiceConfig {
  for (const { path, text } of findStrings({ ...config, adapter: undefined, logger: undefined })) {
    if (keys.test(path)) scan.learnPhrase('a key of the configuration', text);
  }
  return {
    ...config,
    adapter: watchedAdapter(config.adapter, scan),
    logger: config.logger && watchedLogger(config.logger, scan),
    providers: watchedSenders(config.providers, scan),
  };
}

/** Changes the service in place, so that no reference to it escapes the scan. */
function watchService(service: Service, scan: LeakScan): void {
  const { providers, tools } = (service as unknown as { parts: Inside }).parts;
  for (const [name, provider] of Object.entries(providers)) {
    if (provider instanceof Map) {
      for (const [each, one] of provider as Map<string, object>) provider.set(each, watched(one, name, scan));
    } else if (provider) {
      providers[name] = watched(provider, name === 'sessions' ? 'sessionsProvider' : name, scan);
    }
  }
  const methods = service as unknown as Record<string, Method>;
  for (const name of ownMethods) {
    const method = methods[name]!.bind(service);
    Object.defineProperty(service, name, {
      value: (...args: unknown[]) => scanned(name, args, () => method(...args), scan),
      configurable: true,
      writable: true,
    });
  }
  const { events } = tools;
  const emit = events.emit.bind(events);
  events.emit = (name, payload) => {
    scan.scan(`event ${name}`, payload);
    emit(name, payload);
  };
}

/** Learns the passwords of an input. */
export function learnPasswords(scan: LeakScan, input: unknown): void {
  for (const { path, text } of findStrings(input))
    if (passwords.test(path)) scan.learnPhrase('a password', text);
}

/** A challenge is also in the body, for the browser to sign. */
const challengeCookie = /^svc_webauthn/;

/** Scans the response of a route. A token belongs in a cookie and must not occur anywhere else. */
/** @param isBearer whether the request asks for tokens instead of cookies. */
export function scanResponse(
  scan: LeakScan,
  method: string,
  route: string,
  response: HttpResponse,
  isBearer = false,
): void {
  const { status, text, json, cookies } = response;
  const { 'set-cookie': _, ...headers } = response.headers;
  for (const { name, value } of cookies)
    if (!challengeCookie.test(name)) scan.learn(`the cookie ${name}`, value);
  // A string of digits is valid JSON too.
  const body = typeof json === 'object' ? { json: json as unknown } : { text };
  const where = `the response ${status} of ${method} ${route.split('?')[0]}`;
  scan.scanReturned(where, { headers, ...body }, allowedInResponse(method, route, isBearer));
}

function watched<T extends object>(provider: T, name: string, scan: LeakScan): T {
  return replaceMethods(
    provider,
    (method, key) =>
      (...args) =>
        scanned(`${name}.${key}`, args, () => method.apply(provider, args), scan),
  );
}

/** Scans the result or the error of a call, then returns or throws it unchanged. */
function scanned(name: string, args: unknown[], call: () => unknown, scan: LeakScan): unknown {
  if (name.startsWith('emailPassword.')) learnPasswords(scan, args[0]);
  const returned = <Result>(result: Result): Result => {
    scan.scanReturned(`the result of ${name}`, result, allowedInResult(name));
    return result;
  };
  const fail = (error: unknown): never => {
    scan.scan(`an error of ${name}`, error, allowedInError(codeOf(error)));
    throw error;
  };
  try {
    const result = call();
    // The returned promise is the one that rejects, so an unhandled rejection is still reported.
    return result instanceof Promise ? result.then(returned, fail) : returned(result);
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

/** Methods that store none of their arguments: an application may look up anything, even a token instead of an id. */
const onlyLooksUp =
  /^(?:find|list|delete|revoke|roleOf|isGuest|consume|discard|remove|unlink|touch|count|disable)/;
/** Stored hashes and ciphertexts become secrets, except in these tables: ids of credentials and external accounts are public. */
const publicTables = ['credentials', 'identities'];

function watchedAdapter(adapter: StorageAdapter, scan: LeakScan): StorageAdapter {
  if (typeof adapter !== 'object' || adapter === null) return adapter;
  const repositories = new Map<object, object>();
  return new Proxy(adapter, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value === 'function') return value.bind(target) as unknown;
      if (typeof value !== 'object' || value === null || typeof key === 'symbol') return value;
      const existing = repositories.get(value);
      if (existing) return existing;
      const repository = replaceMethods(value, (method, name) => (...args) => {
        if (!onlyLooksUp.test(name)) {
          const texts = findStrings(args);
          scan.scanStored(`${key}.${name}`, texts);
          // The third argument of `trustedBrowsers.insert` is the id of a passkey.
          const kept = key === 'trustedBrowsers' ? findStrings(args.slice(0, 2)) : texts;
          if (!publicTables.includes(key)) for (const { text } of kept) learnStored(text);
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
    scan.scan(`the log (${name})`, { fields, message });
    logger[name](fields, message);
  };
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}

/** Wraps each sender once, because a service closes each of them once. */
function watchedSenders(providers: ServiceConfig['providers'], scan: LeakScan): ServiceConfig['providers'] {
  const senders = new Map<object, object>();
  const watch = (sender: EmailSender | SmsSender) => {
    const existing = senders.get(sender);
    if (existing) return existing;
    const made = replaceMethods(sender, (method, name) => (...args) => {
      if (name === 'send') for (const { text } of findStrings(args)) scan.learnMessage(text);
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

/** Wraps an object and replaces its methods. Each replacement is created once, so that method identity is stable. */
function replaceMethods<T extends object>(target: T, replace: (method: Method, name: string) => Method): T {
  const made = new Map<unknown, Method>();
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key, object);
      if (typeof value !== 'function' || typeof key === 'symbol' || key === 'constructor') return value;
      const existing = made.get(value);
      if (existing) return existing;
      const method = replace(value as Method, key);
      made.set(value, method);
      return method;
    },
  });
}
