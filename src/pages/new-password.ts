/** The field of a new password, with the estimate of its strength if the optional packages for it are installed. */
import { html, type Html } from '../html/html.js';
import { fieldId, input } from '../pages-kit/fields.js';
import type { NewPasswordView, TemplatePage } from './views.js';

export interface NewPasswordOptions extends NewPasswordView {
  label: string;
  error?: string | undefined;
  /** What an attacker tries first: the address and the user name. The script adds those of the same form. */
  names?: readonly (string | null)[];
}

export function newPasswordInput(
  { base, name, texts }: Pick<TemplatePage, 'base' | 'name' | 'texts'>,
  { label, error, estimatorPath, minPasswordLength, names = [] }: NewPasswordOptions,
): Html {
  return html`${input({
    name: 'password',
    label,
    hint: texts.passwordHint(minPasswordLength),
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
      data-names="${[name, ...names].filter(Boolean).join('|')}"
      role="status"
      hidden
    >
      <span class="levels" aria-hidden="true"><i></i><i></i><i></i><i></i></span> <span class="level"></span>
    </p>`
  }`;
}
