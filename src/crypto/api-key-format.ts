/**
 * The format of API keys, `svc_<id>_<secret>_<checksum>`: leak scanners find it, and malformed keys
 * are rejected without a query.
 */
import { sha256 } from './digest.js';
import { takeRandomBytes } from './random-pool.js';

const pattern = /^svc_([0-9a-f]{32})_([0-9a-f]{64})_([0-9a-f]{8})$/;

/** Creates a key for a UUID. */
export function formatApiKey(id: string): { key: string; prefix: string; secret: string } {
  const secret = takeRandomBytes(32).toString('hex');
  const compactId = id.replaceAll('-', '');
  const body = `svc_${compactId}_${secret}`;
  // Twelve digits of time and four more distinguish an owner's keys.
  return { key: `${body}_${checksum(body)}`, prefix: body.slice(0, 20), secret };
}

/** Returns the id and secret of a well-formed key with a correct checksum, otherwise null. */
export function parseApiKey(key: unknown): { id: string; secret: string } | null {
  const match = typeof key === 'string' ? pattern.exec(key) : null;
  const [, compactId, secret, sum] = match ?? [];
  if (compactId === undefined || secret === undefined || sum !== checksum(`svc_${compactId}_${secret}`))
    return null;
  const id = compactId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { id, secret };
}

// Detects typing errors and truncation. It does not protect against attackers.
function checksum(body: string): string {
  return Buffer.from(sha256(body), 'base64url').toString('hex').slice(0, 8);
}
