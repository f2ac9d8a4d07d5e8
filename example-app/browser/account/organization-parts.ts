/** Building blocks for the parts of an organization: a section with an error message, lists and fields. */
import { el } from '../dom.js';

type Child = Parameters<typeof el>[2];

/** Roles, ascending. */
export const roles = ['member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** Returns the roles that a user with this role may grant and revoke. The routes refuse the others. */
export function grantable(own: Role): readonly Role[] {
  return own === 'owner' ? roles : own === 'admin' ? ['member', 'admin'] : [];
}

export function part(title: string, orgName: string, ...children: Child[]): HTMLElement {
  const message = el('p', { class: 'error', role: 'alert', 'data-message': true });
  const label = `${title} of ${orgName}`;
  return el('section', { class: 'part', 'aria-label': label }, el('h3', {}, title), ...children, message);
}

export function emptyList(nothing: string): HTMLElement {
  return el('ul', { class: 'items', 'aria-busy': true, 'data-nothing': nothing });
}

/** A labeled input, followed by its error message. */
export function labeled(
  label: string,
  id: string,
  attributes: Record<string, string | boolean>,
): HTMLElement[] {
  const described = { id, required: true, autocomplete: 'off', 'aria-describedby': `${id}-error` };
  return [
    el(
      'div',
      { class: 'field' },
      el('label', { for: id }, label),
      el('input', { ...described, ...attributes }),
    ),
    el('p', { class: 'error', id: `${id}-error` }),
  ];
}

export function roleOptions(options: readonly Role[], selected: Role): HTMLElement[] {
  return options.map((role) => el('option', { selected: role === selected }, role));
}
