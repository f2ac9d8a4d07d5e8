/** What the pages of the second step share. */
import { html, type Html } from '../../html/html.js';
import { readPendingSignIn } from '../../http/signed-in.js';
import { usualMethods, type SecondStepMethods } from '../../domain/second-factor.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import { checkBox } from '../../pages-kit/fields.js';
import { form, link } from '../form.js';
import type { Visit } from '../page.js';

/** The token of the sign-in that waits for its second step. */
export function pendingOf({ req, service }: Visit): string | undefined {
  return readPendingSignIn(service, req);
}

/** Returns the methods that can complete the sign-in. */
export async function methodsOfStep({ features }: Visit, token: string): Promise<SecondStepMethods> {
  return (await features.otherSecondSteps?.pendingMethods(token)) ?? usualMethods;
}

/** A box to skip the second step in this browser from now on, if the application offers it. */
export function trustField({ features, texts }: Visit): Html[] {
  return features.hasTrust
    ? [checkBox({ name: 'trust', label: texts.twoFactor.trust, isChecked: false })]
    : [];
}

export function withTrust(context: RequestContext, values: URLSearchParams): RequestContext {
  return { ...context, trustBrowser: values.get('trust') === 'yes' };
}

/** Links to the other methods, and back to the beginning. */
export function otherSteps(
  visit: Visit,
  { methods }: SecondStepMethods,
  current: 'totp' | 'recovery' | 'email',
): Html {
  const { paths, texts } = visit;
  const { useApp, useEmail, useRecovery, restart } = texts.twoFactor;
  const offers = (method: 'totp' | 'recovery' | 'email') => method !== current && methods.includes(method);
  return html`<div class="below row">
    ${offers('totp') && link(visit, paths.twoFactor, useApp)}
    ${
      offers('email') &&
      form(visit, { action: `${paths.twoFactor}/email/send`, submit: useEmail, kind: 'link' })
    }
    ${offers('recovery') && link(visit, `${paths.twoFactor}/recovery`, useRecovery)}
    ${link(visit, paths.signIn, restart)}
  </div>`;
}
