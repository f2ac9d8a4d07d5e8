/** Signed values of cookies, as other packages write them. */
import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../crypto/digest.js';
import { refuseOption } from '../errors/options.js';

/** Longer ones are not those of a session. */
const maxLength = 4_096;

/** Returns whether a value of a cookie can name a session: printable ASCII without spaces. */
export function isPlausible(value: string): boolean {
  return value.length <= maxLength && /^[\x21-\x7e]+$/.test(value);
}

/**
 * Returns the value before the last period if what follows is its HMAC-SHA-256 in base64, with one of the secrets; null otherwise. Compares
 * the text, so that another spelling of the same signature is refused.
 * @param isPadded whether the signature ends with `=`.
 */
export function verifiedValue(
  signed: string,
  secrets: readonly string[],
  { isPadded }: { isPadded: boolean },
): string | null {
  const end = signed.lastIndexOf('.');
  if (end < 1 || !isPlausible(signed)) return null;
  const [value, signature] = [signed.slice(0, end), signed.slice(end + 1)];
  const isSigned = secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(value).digest('base64');
    return constantTimeEqual(signature, isPadded ? expected : expected.replace(/=+$/, ''));
  });
  return isSigned ? value : null;
}

/** Returns one or several secrets as a list. @param path such as `expressSession(…).secret`. @throws ConfigError */
export function secretsOf(path: string, secret: unknown): string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  const isRight = secrets.length > 0 && secrets.every((each) => typeof each === 'string' && each !== '');
  return isRight
    ? (secrets as string[])
    : refuseOption(path, 'must be a string that is not empty, or a list of them');
}

/** Returns the names of a cookie with and without the prefixes that packages add on https. */
export function withPrefix(name: string): string[] {
  return [name, `__Secure-${name}`];
}

/** @throws ConfigError unless the option is absent or a name of a cookie. */
export function checkCookieName(path: string, name: unknown): void {
  if (name !== undefined && !(typeof name === 'string' && /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name)))
    refuseOption(path, 'must be the name of a cookie');
}

/** @throws ConfigError unless the option is a function, or absent if it may be. */
export function checkFunction(path: string, value: unknown, isOptional = false): void {
  if (typeof value !== 'function' && !(isOptional && value === undefined))
    refuseOption(path, 'must be a function');
}
