/** How a user is named and shown. */
import type { UserRecord } from '../domain/user-record.js';
import { html, type Html } from '../html/html.js';
import type { View } from './page.js';

/** Returns the address, or else the user name, or else what the user is. */
export function nameOf({ email, username, isGuest, id }: UserRecord): string {
  return email ?? username ?? `${isGuest ? 'Guest' : 'User'} ${id.slice(-8)}`;
}

export const pathOf = (id: string) => `/users/${encodeURIComponent(id)}`;

/** The links from the list of users to a form about a user. */
export function trailTo(user: UserRecord): NonNullable<View['trail']> {
  return [
    { label: 'Users', path: '/users' },
    { label: nameOf(user), path: pathOf(user.id) },
  ];
}

/** A circle with the first letter; its color depends on the id. */
export function avatar(user: UserRecord): Html {
  const letter = [...nameOf(user)][0]?.toUpperCase() ?? '?';
  const hue = Number.parseInt(user.id.slice(-2), 16) % 6;
  return html`<span class="avatar hue-${hue}" aria-hidden="true">${letter}</span>`;
}

/** The states that an administrator looks for. False for a user in the usual state. */
export function badges(user: UserRecord): Html | false {
  const { blocked, email, emailVerified, isGuest, twoFactor } = user;
  const shown = [
    blocked && html`<span class="badge bad">Blocked</span> `,
    isGuest && html`<span class="badge">Guest</span> `,
    email !== null && !emailVerified && html`<span class="badge warn">Unverified</span> `,
    twoFactor && html`<span class="badge">Two-factor</span> `,
  ].filter((badge) => badge !== false && badge !== null);
  return shown.length > 0 && html`${shown}`;
}

export function roleTags(roles: readonly string[]): Html | false {
  return roles.length > 0 && html`${roles.map((role) => html`<span class="tag">${role}</span> `)}`;
}
