/** What the pages of the second step share. */
import { internals, type PendingSecondStep } from '../../core/internals.js';
import { maskEmailAddress } from '../../domain/email-address.js';
import { isServiceError } from '../../errors/service-error.js';
import { readPendingSignIn } from '../../http/signed-in.js';
import type { SecondFactorMethod } from '../../domain/second-factor.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import { FieldError, type Attempt } from '../../pages-kit/attempt.js';
import type { Texts } from '../texts/texts.js';
import { goTo, type Next, type View, type Visit } from '../page.js';
import { resendPause, wasSent } from '../sent.js';

/** The token of the sign-in that waits for its second step. */
export function pendingOf({ req, service }: Visit): string | undefined {
  return readPendingSignIn(service, req);
}

interface PendingStep extends PendingSecondStep {
  token: string;
}

/** Returns whose sign-in waits, and the methods that can complete it. Null if none waits. */
export async function stepOf(visit: Visit): Promise<PendingStep | null> {
  const token = pendingOf(visit);
  if (token === undefined) return null;
  try {
    return { token, ...(await visit.service[internals].pendingSecondStep(token)) };
  } catch (error) {
    // It has expired, or another tab has completed it.
    if (isServiceError(error) && error.code === 'token_invalid') return null;
    throw error;
  }
}

/** Shows the page of a method, or leads back to the beginning if it cannot complete the sign-in. */
export function showStep(
  visit: Visit,
  attempt: Attempt | null,
  method: SecondFactorMethod,
  step: PendingStep | null,
): View | Next {
  const { features, paths, templates, texts } = visit;
  if (!step) return pendingOf(visit) === undefined && !attempt ? goTo(paths.signIn) : expired(visit);
  const { email, methods, token } = step;
  if (!methods.includes(method)) return goTo(paths.twoFactor);
  const { title } = texts.twoFactor;
  const body = templates.secondStep(visit, {
    title,
    attempt,
    account: email === null ? null : accountOf(visit, email),
    method,
    wasSent: wasSent(visit, 'second_factor', token),
    resendIn: resendPause(visit, 'second_factor', token),
    digits: method === 'totp' ? 6 : features.codeDigits,
    trustDays: features.trustDays,
    otherMethods: methods.filter((each) => each !== method),
  });
  return { title, body };
}

/** Back to the beginning, which says why: the second step came too late. */
export function expired({ paths }: Visit): Next {
  return goTo(`${paths.signIn}?error=sign_in_expired`);
}

/** Whose sign-in it is. The first step has proven the account, and perhaps not its address. */
function accountOf({ flow }: Visit, email: string): string {
  return flow.email?.trim().toLowerCase() === email ? email : maskEmailAddress(email);
}

/** Says when the next code is checked, if there were too many wrong ones: another code does not help. */
export async function guessing<Result>(texts: Texts, guess: () => Promise<Result>): Promise<Result> {
  try {
    return await guess();
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'max_attempts_exceeded') throw error;
    throw new FieldError('code', texts.errors.tooMany(lockMinutes));
  }
}

/** The window of `secondFactorLimits`. */
const lockMinutes = 15;

export function withTrust(context: RequestContext, values: URLSearchParams): RequestContext {
  return { ...context, trustBrowser: values.get('trust') === 'yes' };
}
