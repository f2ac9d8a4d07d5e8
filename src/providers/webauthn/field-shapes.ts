/** The shapes in which browsers, extensions and password managers return a credential, brought to that of WebAuthn Level 3, 5.1. */

/** The bytes of a credential. Their encoding has no padding (WebAuthn Level 3, 3), and some extensions add it. */
const parts = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];

/**
 * Returns the response with unpadded bytes, and without a user handle that is null or empty: an authenticator that stores none returns
 * null, and Safari an empty string. Nothing else changes, so what is signed is verified as it was sent.
 */
export function inStandardShape<Response>(given: Response): Response {
  if (!isObject(given) || !isObject(given['response'])) return given;
  const response: Record<string, unknown> = { ...given['response'] };
  for (const part of parts) if (part in response) response[part] = unpadded(response[part]);
  if (response['userHandle'] === null || response['userHandle'] === '') delete response['userHandle'];
  const { id, rawId = id } = given;
  return { ...given, id: unpadded(id), rawId: unpadded(rawId), response };
}

/** Correct padding only: anything else stays, and is refused. */
function unpadded(value: unknown): unknown {
  if (typeof value !== 'string' || value.length % 4 !== 0) return value;
  return value.replace(/(?<!=)={1,2}$/, '');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
