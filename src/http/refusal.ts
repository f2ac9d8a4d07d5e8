/**
 * Why a check of the routes refused a request: a detail for the log, which the response does not
 * contain.
 */

/**
 * The checks that run before a provider is called. Each is a `reason` in the log (docs/http-api.md,
 * Log).
 */
export type Refusal =
  | 'origin'
  | 'path_malformed'
  | 'content_type'
  | 'body_parsed_elsewhere'
  | 'body_malformed'
  | 'body_too_large'
  | 'body_fields'
  | 'session_missing'
  | 'session_proof'
  | 'impersonation'
  | 'permission'
  | 'form_token'
  | 'access_token'
  | 'pending_sign_in_missing'
  | 'api_key_missing'
  | 'scope_missing'
  | 'organization_missing';

/** Options for an error: `new NotAuthorizedError(because('origin'))`. */
export function because(refusal: Refusal): { cause: { refusal: Refusal } } {
  return { cause: { refusal } };
}

/** Returns the check that threw an error, or undefined if another part of the library threw it. */
export function refusalOf({ cause }: Error): Refusal | undefined {
  const isRefusal = typeof cause === 'object' && cause !== null && 'refusal' in cause;
  return isRefusal ? (cause as { refusal: Refusal }).refusal : undefined;
}
