/** Ends grants of clients, each with its event, and thus with its record in the audit log. */
import type { Changes } from '../core/support/changes.js';
import type { EmittedEvent, ServiceEvents } from '../core/support/events.js';
import type { OAuthServerRepository } from '../storage/oauth-server-repository.js';

type GrantEndCause = ServiceEvents['oauth.grant_ended']['cause'];

interface EndTools {
  changes: Changes;
  repository: OAuthServerRepository;
}

interface EndedGrant {
  id: string;
  userId: string;
  clientId: string;
}

/** The server ends a grant by itself, also if a client has caused it: no user has decided it. */
export function grantEnded({ id, userId, clientId }: EndedGrant, cause: GrantEndCause): EmittedEvent {
  return ['oauth.grant_ended', { userId, clientId, grantId: id, cause, actor: { type: 'system' } }];
}

/** Removes a grant and its tokens. Of parallel calls, one emits the event. */
export async function endGrant(
  { changes, repository }: EndTools,
  id: string,
  cause: GrantEndCause,
  userId?: string,
): Promise<void> {
  await changes.commit(
    () => repository.removeGrant(id, userId),
    (grant) => (grant ? [grantEnded(grant, cause)] : []),
  );
}
