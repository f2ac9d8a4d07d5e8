/**
 * Proofs that this client has the key to which its tokens are bound (RFC 9449). The private key cannot be exported: a script of an attacker
 * can use it while the page is open, and cannot take it along.
 */
import { AuthClientError } from './error.js';
import { withLock } from './lock.js';

type MaybePromise<Value> = Value | Promise<Value>;

/** A `CryptoKeyPair` of the Web Crypto API. */
export interface ProofKeyPair {
  readonly privateKey: object;
  readonly publicKey: object;
}

/** Keeps the key when the page closes. It must store the objects as they are, as IndexedDB does: the key has no other form. */
export interface KeyStorage {
  get(): MaybePromise<ProofKeyPair | null>;
  set(pair: ProofKeyPair): MaybePromise<void>;
}

export interface ProofOptions {
  /** Default: IndexedDB, or memory if there is none. */
  keys?: KeyStorage;
}

export interface KeyProofs {
  /** Returns the header `DPoP` of a request. @throws AuthClientError if the key of the session cannot be read now. */
  proofFor(method: string, url: string, session: ProvenSession): Promise<string>;
  /** Corrects the time of proofs, after a refusal. @param serverTime in seconds. */
  adjust(serverTime: number): void;
}

/** What a request has of a session that is bound to a key. */
export interface ProvenSession {
  /** The access token. */
  token: string | undefined;
  /** Whether another key would end the session. */
  continues: boolean;
}

interface Signer {
  pair: ProofKeyPair;
  /** With the members of its thumbprint only. */
  jwk: object;
}

// eslint-disable-next-line no-restricted-properties -- a browser has no other clock
const seconds = () => Math.floor(Date.now() / 1000);

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** How many requests of a page fail while the browser does not return the key. After that, the user signs in with another one. */
const maxFailures = 3;

export function createKeyProofs({ keys }: ProofOptions, name: string): KeyProofs {
  let signer: Promise<Signer> | undefined;
  let correction = 0;
  let failures = 0;

  /** A database that fails now and then must not end a session, and one that always fails must not keep its user from signing in. */
  const onUnreadable = (cause: unknown, continues: boolean) => {
    if (keys) throw cause;
    if (!continues || ++failures > maxFailures) return;
    const message = 'The browser did not return the key of the session.';
    throw new AuthClientError('network_error', 0, message, undefined, { cause, reason: 'key_unreadable' });
  };

  return {
    async proofFor(method, url, { token, continues }) {
      signer ??= openSigner(keys ? keptBy(keys) : indexedDbKeys(name), name, (cause) =>
        onUnreadable(cause, continues),
      );
      const { pair, jwk } = await signer.catch((error: unknown) => {
        signer = undefined;
        throw error;
      });
      const claims = {
        jti: webCrypto()!.randomUUID(),
        htm: method,
        htu: addressOf(url),
        iat: seconds() + correction,
        ...(token !== undefined && { ath: base64url(await digest(token)) }),
      };
      const text = `${part({ typ: 'dpop+jwt', alg: 'ES256', jwk })}.${part(claims)}`;
      const signing = { name: 'ECDSA', hash: 'SHA-256' };
      const signature = await subtle().sign(signing, pair.privateKey, encoded(text));
      return `${text}.${base64url(signature)}`;
    },
    adjust(serverTime) {
      correction = serverTime - seconds();
    },
  };
}

/** As `KeyStorage`, but it may have a key that it could not return. */
interface KeptKeys extends Pick<KeyStorage, 'get'> {
  /** Stores a key if there is none. Returns the key that counts. */
  keep(pair: ProofKeyPair): Promise<ProofKeyPair>;
}

const keptBy = (keys: KeyStorage): KeptKeys => ({
  get: () => keys.get(),
  async keep(pair) {
    await keys.set(pair);
    return pair;
  },
});

/**
 * Of several tabs that start at the same time, one makes the key.
 * @param onUnreadable throws, or returns if a new key is right although there may be one.
 */
async function openSigner(
  keys: KeptKeys,
  name: string,
  onUnreadable: (cause: unknown) => void,
): Promise<Signer> {
  let pair: ProofKeyPair | null = null;
  await withLock(`${name} key`, async () => {
    try {
      pair = await keys.get();
    } catch (cause) {
      onUnreadable(cause);
    }
    if (pair) return;
    pair = await keys.keep(await subtle().generateKey(algorithm, false, ['sign']));
  });
  const { kty, crv, x, y } = await subtle().exportKey('jwk', pair!['publicKey']);
  return { pair: pair!, jwk: { kty, crv, x, y } };
}

/** The part of the Web Crypto API that is used, for programs without its types. */
interface Subtle {
  generateKey(given: typeof algorithm, extractable: false, usages: ['sign']): Promise<ProofKeyPair>;
  exportKey(format: 'jwk', key: object): Promise<Record<'kty' | 'crv' | 'x' | 'y', string>>;
  sign(given: { name: string; hash: string }, key: object, data: Uint8Array): Promise<ArrayBuffer>;
  digest(name: string, data: Uint8Array): Promise<ArrayBuffer>;
}

const webCrypto = () =>
  (globalThis as unknown as { crypto?: { subtle?: Subtle; randomUUID(): string } }).crypto;

/** @throws AuthClientError on a page without https, where browsers have no Web Crypto, and in programs without it. */
function subtle(): Subtle {
  const { subtle: found } = webCrypto() ?? {};
  if (found) return found;
  throw new AuthClientError('config_invalid', 0, 'bearer.dpop needs the Web Crypto API, which needs https.');
}

/** Where the request goes, without its query (RFC 9449, 4.2). */
function addressOf(url: string): string {
  const { location } = globalThis as { location?: { href: string } };
  const { origin, pathname } = new URL(url, location?.href);
  return origin + pathname;
}

const encoded = (text: string) => new TextEncoder().encode(text);
const part = (value: object) => base64url(encoded(JSON.stringify(value)));
const digest = (text: string) => subtle().digest('SHA-256', encoded(text));

function base64url(bytes: ArrayBuffer | Uint8Array): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return globalThis.btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

const database = 'svc-auth';
const store = 'keys';

/** In memory as well: a browser can refuse the database, as some do in private windows. The key then ends with the page. */
function indexedDbKeys(name: string): KeptKeys {
  const get = () => inDatabase<ProofKeyPair>('readonly', (keys) => keys.get(name));
  return {
    get,
    async keep(pair) {
      // `add` replaces nothing: another tab may need the key that the database did not return a moment ago.
      await inDatabase('readwrite', (keys) => keys.add(pair, name)).catch(() => undefined);
      return (await get().catch(() => null)) ?? pair;
    },
  };
}

/** The part of IndexedDB that is used, for programs without the types of browsers. */
interface DatabaseRequest {
  readonly result: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
  onupgradeneeded?: (() => void) | null;
}
interface ObjectStore {
  get(key: string): DatabaseRequest;
  add(value: unknown, key: string): DatabaseRequest;
}
interface Database {
  open(name: string): DatabaseRequest;
}
interface OpenDatabase {
  createObjectStore(name: string): unknown;
  transaction(name: string, mode: string): { objectStore(name: string): ObjectStore };
  close(): void;
}

/** A database is refused for moments while the browser is busy, such as at its start. */
const retriesAfterMs = [50, 250];

/** Some browsers do not answer after an update. All tabs wait for one that waits. */
const answersWithinMs = 3000;

/** Null if there is no database, or nothing of this name in it. @throws Error if the database fails again and again: it may have the key. */
async function inDatabase<Result>(
  mode: 'readonly' | 'readwrite',
  act: (keys: ObjectStore) => DatabaseRequest,
): Promise<Result | null> {
  const { indexedDB } = globalThis as { indexedDB?: Database };
  if (!indexedDB) return null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = globalThis.setTimeout(() => reject(new Error('The database does not answer.')), answersWithinMs);
  });
  try {
    return await Promise.race([retried<Result>(indexedDB, mode, act), late]);
  } finally {
    globalThis.clearTimeout(timer);
  }
}

async function retried<Result>(
  indexedDB: Database,
  mode: 'readonly' | 'readwrite',
  act: (keys: ObjectStore) => DatabaseRequest,
): Promise<Result | null> {
  for (const waitMs of retriesAfterMs) {
    try {
      return await inDatabaseOnce(indexedDB, mode, act);
    } catch {
      await new Promise((resolve) => globalThis.setTimeout(resolve as () => void, waitMs));
    }
  }
  return inDatabaseOnce(indexedDB, mode, act);
}

async function inDatabaseOnce<Result>(
  indexedDB: Database,
  mode: 'readonly' | 'readwrite',
  act: (keys: ObjectStore) => DatabaseRequest,
): Promise<Result | null> {
  const opening = indexedDB.open(database);
  opening.onupgradeneeded = () => (opening.result as OpenDatabase).createObjectStore(store);
  const opened = (await done(opening)) as OpenDatabase;
  try {
    return ((await done(act(opened.transaction(store, mode).objectStore(store)))) ?? null) as Result | null;
  } finally {
    opened.close();
  }
}

function done(request: DatabaseRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Error('The database refused.'));
  });
}
