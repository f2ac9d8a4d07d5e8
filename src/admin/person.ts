/** How a user is named and shown. */
import type { UserRecord } from '../domain/user-record.js';
import { internals } from '../core/internals.js';
import { html, type Html } from '../html/html.js';
import { avatar, avatarOf } from '../pages-kit/avatar.js';
import type { Call, View } from './page.js';

/** Returns what names an account and no other: the address, or else the user name, or else what the user is. */
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

/** What a user is called: the chosen name, which is not unique, or null; and the picture or the initials. */
export function personOf(
  { service }: Pick<Call, 'service'>,
  user: UserRecord,
): { name: string | null; avatar: Html } {
  const { name, picture } = service[internals].profiles.ofUser(user);
  return { name, avatar: avatar(avatarOf({ id: user.id, picture }, name ?? nameOf(user))) };
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
