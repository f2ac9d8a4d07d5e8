/** How a user is named and shown. */
import type { UserRecord } from '../domain/user-record.js';
import { internals } from '../core/internals.js';
import { html, type Html } from '../html/html.js';
import { avatar, avatarOf } from '../pages-kit/avatar.js';
import type { Call, View } from './page.js';
import type { AdminTexts } from './texts/texts.js';

/** Returns what names an account and no other: the address, or else the user name, or else what the user is. */
export function nameOf(
  { names }: Pick<AdminTexts, 'names'>,
  { email, username, isGuest, id }: Pick<UserRecord, 'email' | 'id' | 'isGuest' | 'username'>,
): string {
  return email ?? username ?? (isGuest ? names.guest : names.user)(id.slice(-8));
}

/** The name in a sentence about the user. */
export function strongName(texts: Pick<AdminTexts, 'names'>, user: UserRecord): Html {
  return html`<strong><bdi>${nameOf(texts, user)}</bdi></strong>`;
}

export const pathOf = (id: string) => `/users/${encodeURIComponent(id)}`;

/** The link to the list of users. */
export function trailToUsers({ sections }: Pick<AdminTexts, 'sections'>): NonNullable<View['trail']> {
  return [{ label: sections.users, path: '/users' }];
}

/** The links from the list of users to a form about a user. */
export function trailTo({ texts }: Pick<Call, 'texts'>, user: UserRecord): NonNullable<View['trail']> {
  return [...trailToUsers(texts), { label: nameOf(texts, user), path: pathOf(user.id) }];
}

/** What a user is called: the chosen name, which is not unique, or null; and the picture or the initials. */
export function personOf(
  { service, texts }: Pick<Call, 'service' | 'texts'>,
  user: UserRecord,
): { name: string | null; avatar: Html } {
  const { name, picture } = service[internals].profiles.ofUser(user);
  return { name, avatar: avatar(avatarOf({ id: user.id, picture }, name ?? nameOf(texts, user))) };
}

/** The states that an administrator looks for. False for a user in the usual state. */
export function badges({ texts: { states } }: Pick<Call, 'texts'>, user: UserRecord): Html | false {
  const { blocked, email, emailVerified, isGuest, twoFactor } = user;
  const shown = [
    blocked && html`<span class="badge bad">${states.blocked}</span> `,
    isGuest && html`<span class="badge">${states.guest}</span> `,
    email !== null && !emailVerified && html`<span class="badge warn">${states.unverified}</span> `,
    twoFactor && html`<span class="badge">${states.twoFactor}</span> `,
  ].filter((badge) => badge !== false && badge !== null);
  return shown.length > 0 && html`${shown}`;
}

export function roleTags(roles: readonly string[]): Html | false {
  return roles.length > 0 && html`${roles.map((role) => html`<span class="tag">${role}</span> `)}`;
}
