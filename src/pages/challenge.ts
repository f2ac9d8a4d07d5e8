/** Forms of clients that sign up or request mails often: the service asks them to solve a challenge (docs/sign-up.md, Challenges). */
import type { ChallengeRequiredError } from '../errors/catalog.js';
import { internals } from '../core/internals.js';
import { toServiceError } from '../http/error-handler.js';
import { setReason } from '../http/refusal.js';
import { sendPage } from '../pages-kit/page-router.js';
import { allowOrigins } from '../pages-kit/page-headers.js';
import { tokenField } from '../pages-kit/session-form.js';
import type { Attempt } from '../pages-kit/attempt.js';
import type { Assets } from './assets.js';
import { layout } from './layout.js';
import type { Visit } from './page.js';

/** The field into which the script of the pages puts the solution of a proof of work. */
const solutionField = 'challenge_solution';

/** Returns the solution in a form, for the method of the service that asked for it. */
export function solutionOf(
  values: URLSearchParams,
  { captcha }: Pick<Visit, 'captcha'>,
): { challengeSolution?: string } {
  const solution = values.get(solutionField) ?? (captcha && values.get(captcha.field));
  return solution ? { challengeSolution: solution } : {};
}

/**
 * Responds to a form that needs a solution: the script solves a proof of work and sends the form again, so that nothing that was typed is
 * lost. A captcha has a separate page, whose policy allows it. Returns false if the pages cannot show the challenge.
 */
export function sendChallenge(
  visit: Visit,
  assets: Assets,
  error: ChallengeRequiredError,
  values: URLSearchParams,
): boolean {
  const { challenge, reason } = error;
  const { captcha, req, res, texts } = visit;
  const isProofOfWork = challenge['type'] === 'proof-of-work';
  if (!isProofOfWork && !captcha) return false;
  toServiceError(error, req, visit.service[internals]);
  setReason(res, error);
  if (req.headers['svc-pages'] !== undefined) {
    res.statusCode = 403;
    // Without a challenge, the browser sends the form itself: another policy applies only to a new document.
    res.setHeader('Svc-Challenge', isProofOfWork ? 'proof-of-work' : 'page');
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    res.end(JSON.stringify(isProofOfWork ? challenge : null));
    return true;
  }
  const failure: Attempt = { values, errors: new Map([['', texts.errors.challengeFailed]]) };
  const unsent = [tokenField, 'password', solutionField, captcha?.field];
  const { title } = texts.challenge;
  const body = visit.templates.challenge(visit, {
    title,
    attempt: reason === 'challenge_invalid' ? failure : null,
    action: req.path,
    hidden: Object.fromEntries(
      [...values].filter(([name]) => !unsent.includes(name) && !name.startsWith('flow_')),
    ),
    hasPassword: values.has('password'),
    widget: isProofOfWork ? null : (captcha?.render(challenge) ?? null),
  });
  visit.keep({});
  if (!isProofOfWork && captcha) allowOrigins(res, captcha.origins);
  sendPage(res, layout(visit, assets, { title, body, status: 403 }), 403);
  return true;
}
