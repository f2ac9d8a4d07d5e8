/** Signed JWTs in their compact form (RFC 7515, RFC 7519), with the algorithms that this server accepts and no other. */
import { verify, type KeyObject } from 'node:crypto';

/** Curves of keys by algorithm (RFC 7518, 3.4; RFC 8037, 3.1; RFC 9864). Neither `none` nor a shared secret is one. */
const curves: Readonly<Record<string, string>> = { ES256: 'P-256', Ed25519: 'Ed25519', EdDSA: 'Ed25519' };

export const signatureAlgorithms = Object.keys(curves) as ('ES256' | 'Ed25519' | 'EdDSA')[];

export interface Jws {
  header: Readonly<Record<string, unknown>>;
  payload: Readonly<Record<string, unknown>>;
  /** Whether the key has signed it, with the algorithm of its header. */
  isSignedBy: (key: KeyObject) => boolean;
}

const form = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
const maxLength = 8_000;

export const isJws = (text: string) => form.test(text);

/** Null if it is malformed, or if its algorithm is not accepted. Nothing in it is proven yet. */
export function readJws(text: string): Jws | null {
  const [, head = '', body = '', signature = ''] = (text.length <= maxLength && form.exec(text)) || [];
  const [header, payload] = [objectOf(head), objectOf(body)];
  const algorithm = header?.['alg'];
  if (!header || !payload || typeof algorithm !== 'string' || !Object.hasOwn(curves, algorithm)) return null;
  // An extension that must be understood (RFC 7515, 4.1.11).
  if ('crit' in header || 'b64' in header) return null;
  return {
    header,
    payload,
    isSignedBy(key) {
      if (curveOf(key) !== curves[algorithm]) return false;
      const hash = algorithm === 'ES256' ? 'sha256' : null;
      const signed = Buffer.from(`${head}.${body}`);
      return verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
    },
  };
}

function curveOf({ asymmetricKeyDetails, asymmetricKeyType }: KeyObject): string | null {
  if (asymmetricKeyType === 'ed25519') return 'Ed25519';
  return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'P-256' : null;
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
