/** The choice of a role, with what each may do. */
import { html, type Html } from '../../../html/html.js';
import type { OrgRole } from '../../../domain/org.js';
import type { AccountVisit } from '../page.js';

export function roleChoice({ words }: AccountVisit, roles: readonly OrgRole[], chosen: string): Html {
  const { organizations } = words;
  return html`<fieldset>
    <legend>${organizations.role}</legend>
    ${roles.map(
      (role) =>
        html`<div class="field check">
          <input
            id="field-role-${role}"
            name="role"
            type="radio"
            value="${role}"
            ${role === chosen && html`checked`}
            aria-describedby="field-role-${role}-hint"
          />
          <label for="field-role-${role}">${organizations.roles[role]}</label>
          <p class="hint" id="field-role-${role}-hint">${organizations.roleHints[role]}</p>
        </div>`,
    )}
  </fieldset>`;
}
