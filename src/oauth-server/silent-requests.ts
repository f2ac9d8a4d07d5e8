/**
 * Authorization requests that may show no page (`prompt=none`; OpenID Connect Core, 3.1.2.1). What the user has given before decides, by
 * the rules of the page, and everything that the page would ask for is an error.
 */
import type { LiveSession } from '../core/sessions/session-checks.js';
import { asksForOther, signInSince, targetOf, type AuthorizationParams } from './asked.js';
import { askedScopes, describedScopes, giveAccess, type GrantingTools } from './granting.js';
import { rememberedGrants } from './remembered.js';
import type { SilentAnswer } from './silent-answer.js';

export interface SilentTools extends GrantingTools {
  /** Whether the browser still has its session. */
  isSignedIn: () => Promise<boolean>;
  isGuest: (session: LiveSession) => Promise<boolean>;
  /** Whether the user gives no access before the address is verified. */
  mustVerify: (session: LiveSession) => boolean;
}

/** @param session of the browser. Null without one. */
export async function answerSilently(
  tools: SilentTools,
  params: AuthorizationParams,
  session: LiveSession | null,
): Promise<SilentAnswer> {
  const { clock, settings } = tools;
  const signedOut = { error: 'login_required', detail: 'No user is signed in.' } as const;
  if (!session || (await tools.isGuest(session))) return signedOut;
  const { claims, signedInAt, user } = session;
  if (claims.act) return { error: 'interaction_required', detail: 'Another person acts for the user.' };
  if (asksForOther(params, user.id)) return { error: 'login_required', detail: 'Another user is signed in.' };
  if (signedInAt.getTime() < (signInSince(params, clock()) ?? 0))
    return { error: 'login_required', detail: 'The user has signed in too long ago.' };
  if (tools.mustVerify(session))
    return { error: 'interaction_required', detail: 'The user must verify the address first.' };
  const scopes = askedScopes(settings, params);
  const { client_id: clientId = '' } = params;
  const request = { ...targetOf(params), clientId, scopes: describedScopes(settings, scopes) };
  const mustAsk = { error: 'consent_required', detail: 'The user must be asked.' } as const;
  const reliesOn = await rememberedGrants(tools, request, user.id);
  if (!reliesOn) return mustAsk;
  const grantId = await giveAccess(tools, session, { clientId, scopes, host: request.host, reliesOn });
  if (grantId !== null) return { userId: user.id, signedInAt, grantId };
  // In the meantime, either the session has ended, or what the user has given.
  return (await tools.isSignedIn()) ? mustAsk : signedOut;
}
