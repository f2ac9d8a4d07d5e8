/** Signed JWTs in their compact form (RFC 7515, RFC 7519), with the algorithms that this server accepts and no other. */
import { constants, verify, type KeyObject } from 'node:crypto';

type KeyType = 'P-256' | 'Ed25519' | 'RSA';

interface Algorithm {
  key: KeyType;
  hash: 'sha256' | null;
  padding?: number;
  saltLength?: number;
}

const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING } = constants;
const ed25519: Algorithm = { key: 'Ed25519', hash: null };

/** By name (RFC 7518, 3.3 to 3.5; RFC 8037, 3.1; RFC 9864). Neither `none` nor a shared secret is one. */
const algorithms = {
  ES256: { key: 'P-256', hash: 'sha256' },
  Ed25519: ed25519,
  EdDSA: ed25519,
  PS256: { key: 'RSA', hash: 'sha256', padding: RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  RS256: { key: 'RSA', hash: 'sha256', padding: RSA_PKCS1_PADDING },
} as const satisfies Readonly<Record<string, Algorithm>>;

type AlgorithmName = keyof typeof algorithms;

export const signatureAlgorithms = Object.keys(algorithms) as AlgorithmName[];

/** Short RSA keys are weak (RFC 7518, 3.3). Anyone can send a long one, or a large exponent, whose check takes long. */
const rsaLimits = { minBits: 2048, maxBits: 4096, maxExponent: 2n ** 32n };

export interface Jws {
  header: Readonly<Record<string, unknown>>;
  payload: Readonly<Record<string, unknown>>;
  /** Whether the key has signed it, with the algorithm of its header. */
  isSignedBy: (key: KeyObject) => boolean;
}

const form = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
/** The limit of Node.js for all headers of a request: a JWT that was issued must not be too long to be accepted. */
const maxLength = 16_384;

export const isJws = (text: string) => form.test(text);

/** Null if it is malformed, or if its algorithm is not accepted. Nothing in it is proven yet. */
export function readJws(text: string): Jws | null {
  const [, head = '', body = '', signature = ''] = (text.length <= maxLength && form.exec(text)) || [];
  const [header, payload] = [objectOf(head), objectOf(body)];
  const algorithm = algorithmOf(header?.['alg']);
  if (!header || !payload || !algorithm) return null;
  // An extension that must be understood (RFC 7515, 4.1.11).
  if ('crit' in header || 'b64' in header) return null;
  return {
    header,
    payload,
    isSignedBy(key) {
      const { hash, key: type, ...padding } = algorithm;
      if (typeOf(key) !== type) return false;
      const options = { key, dsaEncoding: 'ieee-p1363', ...padding } as const;
      return verify(hash, Buffer.from(`${head}.${body}`), options, Buffer.from(signature, 'base64url'));
    },
  };
}

function algorithmOf(name: unknown): Algorithm | null {
  const isOne = typeof name === 'string' && Object.hasOwn(algorithms, name);
  return isOne ? algorithms[name as AlgorithmName] : null;
}

/** Null for a key that no algorithm uses. */
function typeOf({ asymmetricKeyDetails: details = {}, asymmetricKeyType }: KeyObject): KeyType | null {
  if (asymmetricKeyType === 'ed25519') return 'Ed25519';
  if (asymmetricKeyType === 'ec') return details.namedCurve === 'prime256v1' ? 'P-256' : null;
  if (asymmetricKeyType !== 'rsa') return null;
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = details;
  const { minBits, maxBits, maxExponent } = rsaLimits;
  return bits >= minBits && bits <= maxBits && exponent <= maxExponent ? 'RSA' : null;
}

function objectOf(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
