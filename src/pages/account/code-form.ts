/** The form in which a user enters a code that was sent by email or text message, with the button that sends another one. */
import type { CodePurpose } from '../../domain/one-time-code.js';
import { html, type Html, type Value } from '../../html/html.js';
import type { Attempt } from '../../pages-kit/attempt.js';
import { codeInput } from '../code-input.js';
import type { AccountChangeView, AccountFormOptions } from './change-views.js';
import { buttonForm } from './form.js';
import { resendPause } from '../sent.js';
import type { AccountVisit } from './page.js';

type Sent = readonly [purpose: CodePurpose, to: string];

interface CodeFormOptions extends AccountFormOptions {
  attempt: Attempt | null;
  /** The form that sends another code. */
  resend: string;
  /** What was sent, and to whom. */
  sent: Sent;
  /** Whether the code has ten letters instead of digits. */
  hasLetters?: boolean;
  /** What else the form asks for: a complete code does not submit it. */
  more?: Value;
  /** A link next to it. */
  link?: Value;
}

/** @param options.fields default: one code, which the script submits when it is complete. */
export function codeForm(
  visit: AccountVisit,
  { attempt, hasLetters = false, more, resend, sent, link, ...form }: CodeFormOptions,
): Pick<AccountChangeView, 'form' | 'below'> {
  const { features, texts } = visit;
  const error = attempt?.errors.get('code');
  const code = codeInput({
    name: 'code',
    label: texts.code,
    error,
    ...(!more && { digits: features.codeDigits }),
    hasLetters,
    hint: hasLetters && texts.codeLetters,
  });
  return {
    form: { fields: more ? [code, more] : code, ...form },
    below: html`<div class="below row">${resendForm(visit, resend, sent)} ${link}</div>`,
  };
}

/** The button that sends a code or a link again, as soon as it may have arrived. */
export function resendForm(visit: AccountVisit, action: string, [purpose, to]: Sent): Html {
  const { resend, resendIn } = visit.texts.checkEmail;
  return buttonForm(visit, {
    action,
    label: resend,
    kind: 'link',
    pause: { seconds: resendPause(visit, purpose, to), label: resendIn('#') },
  });
}
