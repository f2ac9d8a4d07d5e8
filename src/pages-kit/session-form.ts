/** Receives the forms of signed-in users, with the checks that come before a change. */
import type { Request, Response } from 'express';
import type { LiveSession } from '../core/sessions/session-checks.js';
import { internals } from '../core/internals.js';
import type { Service } from '../engine/service.js';
import { NotAuthorizedError } from '../errors/catalog.js';
import { checkOrigin } from '../http/origin-check.js';
import { because } from '../http/refusal.js';
import type { FormReader } from '../http/request-body.js';
import { setPageHeaders } from './page-headers.js';

/** The name of the field that contains the form token. */
export const tokenField = 'form_token';

/**
 * Returns the fields of a form, and the caller who sent it.
 * @param enter checks who sends the request.
 * @throws NotAuthorizedError if another site sent the form, or it was not shown to this session; InvalidRequestError if the body is not a
 * form; the errors of `enter`.
 */
export async function receiveForm<Caller extends { session: LiveSession }>(
  service: Service,
  readForm: FormReader,
  req: Request,
  res: Response,
  enter: () => Promise<Caller>,
): Promise<{ caller: Caller; values: URLSearchParams }> {
  setPageHeaders(res);
  checkOrigin(service[internals], req);
  const caller = await enter();
  const wasComplete = req.complete;
  const values = await readForm(req, res);
  // A client can send the form minutes after the headers: the session may have ended since then.
  if (!wasComplete) await enter();
  if (!service[internals].formTokens.isValid(caller.session, values.get(tokenField) ?? ''))
    throw new NotAuthorizedError(because('form_token'));
  return { caller, values };
}
