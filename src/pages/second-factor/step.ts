/** What the pages of the second step share. */
import { sha256 } from '../../crypto/digest.js';
import { isServiceError } from '../../errors/service-error.js';
import { readPendingSignIn } from '../../http/signed-in.js';
import { usualMethods, type SecondFactorMethod, type SecondStepMethods } from '../../domain/second-factor.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { Attempt } from '../../pages-kit/attempt.js';
import { goTo, type Next, type View, type Visit } from '../page.js';

/** The token of the sign-in that waits for its second step. */
export function pendingOf({ req, service }: Visit): string | undefined {
  return readPendingSignIn(service, req);
}

/** Returns the methods that can complete the sign-in. Null if none waits. */
export async function methodsOfStep(visit: Visit): Promise<SecondStepMethods | null> {
  const token = pendingOf(visit);
  if (token === undefined) return null;
  try {
    return (await visit.features.otherSecondSteps?.pendingMethods(token)) ?? usualMethods;
  } catch (error) {
    // It has expired, or another tab has completed it.
    if (isServiceError(error) && error.code === 'token_invalid') return null;
    throw error;
  }
}

/** Shows the page of a method, or leads back to the beginning if it cannot complete the sign-in. */
export async function showStep(
  visit: Visit,
  attempt: Attempt | null,
  method: SecondFactorMethod,
): Promise<View | Next> {
  const { features, flow, paths, templates, texts } = visit;
  const step = await methodsOfStep(visit);
  if (!step) return goTo(paths.signIn);
  if (!step.methods.includes(method)) return goTo(paths.twoFactor);
  const { title } = texts.twoFactor;
  const body = templates.secondStep(visit, {
    title,
    attempt,
    method,
    wasSent: flow.mailedFor === digestOf(visit),
    digits: method === 'totp' ? 6 : features.codeDigits,
    canTrust: features.hasTrust,
    otherMethods: step.methods.filter((each) => each !== method),
  });
  return { title, body };
}

/** Names the pending sign-in in the flow, without its secret. */
export function digestOf(visit: Visit): string {
  return sha256(pendingOf(visit) ?? '').slice(0, 16);
}

export function withTrust(context: RequestContext, values: URLSearchParams): RequestContext {
  return { ...context, trustBrowser: values.get('trust') === 'yes' };
}
