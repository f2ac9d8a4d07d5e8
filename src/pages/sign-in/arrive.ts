/** The end of a sign-in: the cookies, and the page at which the user arrives. */
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import { MfaRequiredError } from '../../errors/catalog.js';
import { startBrowserSession } from '../../http/signed-in.js';
import { clearFlow } from '../flow.js';
import { goTo, type Next, type Visit } from '../page.js';

/** Starts the session of a sign-in and returns the page to arrive at: that of the second step, if the account has one. */
export function arrive(visit: Visit, result: SignInResult): Next {
  const { req, res, service } = visit;
  try {
    startBrowserSession(service, req, res, result);
  } catch (error) {
    if (!(error instanceof MfaRequiredError)) throw error;
    return goTo(visit.paths.twoFactor);
  }
  if (result.reclaimed)
    return goTo(`${visit.paths.signIn}/done?${new URLSearchParams(reclaimedNotice).toString()}`);
  return leave(visit);
}

/** In the query of the page at which a sign-in ends: the page then says what the sign-in has removed. */
export const reclaimedNotice = { notice: 'reclaimed' };

/** Ends the flow and returns the page that was asked for. */
export function leave({ flow, homeUrl, req, res, service }: Visit): Next {
  clearFlow(service, req, res);
  return { to: flow.next ?? homeUrl, isOutside: true };
}
