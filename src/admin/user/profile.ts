/** The sections about the account itself: profile, metadata, and deletion. */
import { html, type Html } from '../../html/html.js';
import { when } from '../dates.js';
import type { Call } from '../page.js';
import { nameOf, personOf, roleTags } from '../person.js';
import { none } from '../table.js';
import { actionLink, card, fact } from './card.js';
import type { UserRecords } from './records.js';

export function profile(call: Call, records: UserRecords): Html {
  const { user } = records;
  const { states, user: verbs } = call.texts;
  const words = verbs.profile;
  const { name } = personOf(call, user);
  const addOrChange = (value: string | null) => (value === null ? verbs.add : verbs.change);
  const edit = (to: string, label: string, about: string) =>
    actionLink(call, records, 'users.update', { to, label, about });
  const address =
    user.email === null
      ? none(call)
      : html`<bdi>${user.email}</bdi> ${
            user.emailVerified
              ? html`<span class="badge good">${states.verified}</span>`
              : html`<span class="badge warn">${states.unverified}</span>`
          }`;
  const changeAddress = html`${
    user.email !== null && !user.emailVerified && edit('verify', verbs.verify, words.email)
  }
  ${!user.isGuest && edit('address', addOrChange(user.email), words.email)}`;
  return card(
    'profile',
    words.title,
    html`<dl class="facts">
      ${fact(
        words.name,
        name === null ? none(call) : html`<bdi>${name}</bdi>`,
        edit('name', addOrChange(name), words.name),
      )}
      ${fact(words.email, address, changeAddress)}
      ${fact(
        words.username,
        user.username === null ? none(call) : html`<bdi>${user.username}</bdi>`,
        edit('username', addOrChange(user.username), words.username),
      )}
      ${fact(words.roles, roleTags(user.roles) || none(call), edit('roles', verbs.change, words.roles))}
      ${fact(words.id, html`<code>${user.id}</code>`)}
      ${user.externalId !== null && fact(words.externalId, html`<code>${user.externalId}</code>`)}
      ${fact(words.created, when(call, user.createdAt))} ${fact(words.changed, when(call, user.updatedAt))}
      ${fact(
        words.lastSignIn,
        user.lastSignInAt
          ? when(call, user.lastSignInAt)
          : html`<span class="soft">${call.texts.never}</span>`,
      )}
    </dl>`,
  );
}

export function metadata(call: Call, records: UserRecords): Html {
  const { user } = records;
  const words = call.texts.user.metadata;
  const isEmpty = Object.keys(user.metadata).length === 0;
  return card(
    'metadata',
    words.title,
    isEmpty
      ? html`<p class="none">${words.none}</p>`
      : html`<pre tabindex="0" aria-label="${words.title}">${JSON.stringify(user.metadata, null, 2)}</pre>`,
    actionLink(call, records, 'users.update', {
      to: 'metadata',
      label: call.texts.user.edit,
      about: words.title,
    }),
  );
}

/** Deletion is part of the Pro tier. */
export function deletion(call: Call, records: UserRecords): Html | false {
  if (!records.features.account || !records.allowed.has('users.remove')) return false;
  const words = call.texts.user.deletion;
  return card(
    'delete',
    words.title,
    html`<p class="none">${words.lead(html`<bdi>${nameOf(call.texts, records.user)}</bdi>`)}</p>
      ${actionLink(call, records, 'users.remove', {
        to: 'delete',
        label: words.title,
        look: 'button danger-outline',
      })}`,
  );
}
