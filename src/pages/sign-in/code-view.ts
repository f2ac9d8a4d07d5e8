/** What the pages of mailed codes and links show. */
import { html } from '../../html/html.js';
import type { Attempt } from '../../pages-kit/attempt.js';
import type { Visit } from '../page.js';
import type { CodeView } from '../views.js';
import { resendPause } from '../sent.js';
import { lastAddressMethod, mailedPurposes, otherMethodsOf } from './methods.js';
import { webMailOf } from './web-mail.js';

export function strong(address: string) {
  return html`<strong><bdi>${address}</bdi></strong>`;
}

/** The page of a code or link that was mailed for a sign-in. */
export function mailedView(
  visit: Visit,
  attempt: Attempt | null,
  method: 'code' | 'link',
  email: string,
): Omit<CodeView, 'lead'> {
  const { features, flow, paths, texts } = visit;
  const path = `${paths.signIn}/${method}`;
  return {
    title: texts.checkEmail.title,
    attempt,
    action: path,
    hidden: { email },
    digits: features.codeDigits,
    hasLetters: flow.codeFormat === 'letters',
    resend: `${path}/again`,
    resendIn: resendPause(visit, mailedPurposes[method], email),
    otherAddress: { path: paths.signIn, label: texts.checkEmail.otherAddress },
    webMail: webMailOf(email),
    current: method,
    otherMethods: otherMethodsOf(visit, method),
    lastUsed: lastAddressMethod(visit),
  };
}
