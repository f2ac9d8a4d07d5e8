/**
 * The keys that sign ID tokens and JWT access tokens: ES256 (RFC 7518, 3.4), in the storage, a new one every 90 days. A key is published a day
 * before it signs, so that a client that keeps the list of keys for a while knows it, and for 90 days after that.
 */
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../core/support/clock.js';
import type { Keyring } from '../crypto/keys.js';
import { currentSealPrefix, seal, unseal } from '../crypto/secret-box.js';
import type { OAuthKey } from '../domain/oauth-server.js';
import type { OAuthServerRepository } from '../storage/oauth-server-repository.js';

const day = 24 * 60 * 60_000;
const periodMs = 90 * day;
const noticeMs = day;

/** For how long a process uses the keys that it has read. */
const ageMs = 10 * 60_000;

export interface SigningKey extends Record<string, unknown> {
  kid: string;
  alg: 'ES256';
  use: 'sig';
}

/** Returns a function that returns the keys as the storage has had them during the last ten minutes: the same promise while they are. */
export function recentSigningKeys(
  repository: OAuthServerRepository,
  keyring: Keyring,
  clock: Clock,
): () => Promise<SigningKey[]> {
  let recent: { keys: Promise<SigningKey[]>; since: number } | undefined;
  return () => {
    const now = clock();
    if (recent && Math.abs(now - recent.since) < ageMs) return recent.keys;
    const keys = signingKeys(repository, keyring, now);
    recent = { keys, since: now };
    // A failure, such as of the storage, is not remembered.
    keys.catch(() => (recent = undefined));
    return keys;
  };
}

/** Returns the private keys as JWK (RFC 7517), the one that signs first. Creates the key of this period if it is missing. */
export async function signingKeys(
  repository: OAuthServerRepository,
  keyring: Keyring,
  now: number,
): Promise<SigningKey[]> {
  let stored = await repository.listKeys();
  // One for each secret: what another secret has encrypted may be lost.
  const secretId = currentSealPrefix(keyring, 'oauth_key').split('.')[1]!;
  const id = `${Math.floor((now + noticeMs) / periodMs)}-${secretId}`;
  if (!stored.some((key) => key.id === id)) {
    // Another process may create it at the same time: the first one is stored.
    await repository.insertKey(await newKey(id, keyring, now));
    await repository.removeKeys(new Date(now - 2 * periodMs - noticeMs));
    stored = await repository.listKeys();
  }
  const readable = stored.flatMap((key) => open(key, keyring) ?? []);
  const isKnown = ({ createdAt }: OpenedKey) => createdAt.getTime() + noticeMs <= now;
  // The first key of all signs at once.
  const signing = readable.find(isKnown) ?? readable.at(-1)!;
  return [signing, ...readable.filter((key) => key !== signing)].map(({ jwk }) => jwk);
}

async function newKey(id: string, keyring: Keyring, now: number): Promise<OAuthKey> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const jwk = JSON.stringify(privateKey.export({ format: 'jwk' }));
  return { id, secret: seal(keyring, 'oauth_key', id, jwk), createdAt: new Date(now) };
}

interface OpenedKey {
  jwk: SigningKey;
  createdAt: Date;
}

/** Null if it was encrypted with a secret that the service no longer has. */
function open({ id, secret, createdAt }: OAuthKey, keyring: Keyring): OpenedKey | null {
  const opened = unseal(keyring, 'oauth_key', id, secret);
  if (!opened) return null;
  const jwk = JSON.parse(opened.text) as Record<string, unknown>;
  return { jwk: { ...jwk, kid: id, alg: 'ES256', use: 'sig' }, createdAt };
}
