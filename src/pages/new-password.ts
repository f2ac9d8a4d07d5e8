/** The field of a new password, with the estimate of its strength if the optional packages for it are installed. */
import { html, type Html } from '../html/html.js';
import { fieldId, input } from '../pages-kit/fields.js';
import type { Visit } from './page.js';

interface NewPasswordOptions {
  label: string;
  error?: string | undefined;
  /** What an attacker tries first: the address and the user name. */
  names: readonly (string | null)[];
}

export function newPasswordInput(visit: Visit, { label, error, names }: NewPasswordOptions): Html {
  const { base, estimatorPath, features, name, texts } = visit;
  const parts = [name, ...names].flatMap((each) => [each, ...(each?.split(/[^\p{L}\p{N}]+/u) ?? [])]);
  return html`${input({
    name: 'password',
    label,
    hint: texts.passwordHint(features.minPasswordLength),
    type: 'password',
    autocomplete: 'new-password',
    reveal: { show: texts.showPassword, hide: texts.hidePassword },
    error,
  })}
  ${
    estimatorPath !== null &&
    html`<p
      class="strength"
      data-strength="${base}${estimatorPath}"
      data-field="${fieldId('password')}"
      data-levels="${texts.account.password.strength.join('|')}"
      data-names="${parts.filter(Boolean).join('|')}"
      role="status"
      hidden
    >
      <span class="levels" aria-hidden="true"><i></i><i></i><i></i><i></i></span> <span class="level"></span>
    </p>`
  }`;
}
