/** The session that continues after a change that ended every session of the user. */
import type { ChangedUser } from '../../core/sessions/sign-in-result.js';
import { internals } from '../../core/internals.js';
import { continueSession } from '../../http/signed-in.js';
import type { AccountVisit } from './page.js';

/** Sets the cookies of the new session. A page that is shown in the same response gets the form token of it. */
export function continueVisit(visit: AccountVisit, changed: Omit<ChangedUser, 'user'>): void {
  const { me, req, res, service } = visit;
  continueSession(service, req, res, { user: me, ...changed });
  const { formTokens, sessions } = service[internals];
  const claims = sessions.tokens.claimsOf(changed.session?.token);
  if (claims) visit.accountToken = formTokens.issueToken({ claims });
}
