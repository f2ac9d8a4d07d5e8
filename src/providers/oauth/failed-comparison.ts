/** What the log may say of a response: the comparison that failed, from the errors of openid-client, and the provider's own sentence. */

export interface Comparison {
  /** The claim of an ID token. */
  claim?: string;
  expected?: string;
  actual?: string;
}

/** Claims that are neither secret nor personal. */
const publicClaims = ['iss', 'aud', 'azp', 'exp', 'iat', 'nbf'];

/** Returns the comparison that failed, or null for an error of another kind. */
export function comparisonIn(error: unknown): Comparison | null {
  for (let at = error, depth = 0; depth < 4 && typeof at === 'object' && at !== null; depth += 1) {
    const { claim, claims, attribute, body, expected, now, cause } = at as Record<string, unknown>;
    if (typeof claim === 'string' && publicClaims.includes(claim))
      return { claim, ...compared(valueOf(claims, claim), expected ?? timeExpected(claim, now)) };
    if (attribute === 'issuer') return compared(valueOf(body, 'issuer'), expected);
    at = cause;
  }
  return null;
}

function compared(actual: unknown, expected: unknown): Comparison {
  return { ...(expected !== undefined && { expected: text(expected) }), actual: text(actual) };
}

function timeExpected(claim: string, now: unknown): string | undefined {
  return typeof now === 'number' ? `${claim === 'exp' ? 'after' : 'until'} ${now}` : undefined;
}

const valueOf = (object: unknown, name: string) => (Object(object) as Record<string, unknown>)[name];

const text = (value: unknown) => JSON.stringify(value) ?? 'missing';

/** Words, the codes of errors, statuses, and UUIDs, which the provider's support asks for. */
const kept =
  /^\d{3}:?$|^[A-Z]{1,20}(?:_[A-Z]{1,20}){1,5}$|^[\p{L}'’(),.:;"]{1,30}$|^[A-Z]{2,10}\d{1,10}:?$|^[a-z]+(?:_[a-z]+)*$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^\[secret\]$/u;

/** Returns the sentence of a provider without what may be a code, a token or a secret, which providers repeat when they refuse it. */
export function maskedText(sentence: string): string {
  return sentence.replace(/[^ ]+/g, (word) => (kept.test(word) ? word : '[masked]'));
}
