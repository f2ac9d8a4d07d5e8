/** What becomes of an authorization request that may show no page. */

/** By their names in OpenID Connect Core, 3.1.2.6. */
export type SilentError = 'login_required' | 'consent_required' | 'interaction_required';

export type SilentAnswer =
  | { error: SilentError; detail: string }
  | { error?: undefined; userId: string; signedInAt: Date; grantId: string };
