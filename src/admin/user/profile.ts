/** The sections about the account itself: profile, metadata, and deletion. */
import { html, type Html } from '../../html/html.js';
import { when } from '../dates.js';
import type { Call } from '../page.js';
import { nameOf, personOf, roleTags } from '../person.js';
import { actionLink, card, fact } from './card.js';
import type { UserRecords } from './records.js';

const none = html`<span class="soft">None</span>`;

export function profile(call: Call, records: UserRecords): Html {
  const { user } = records;
  const { name } = personOf(call, user);
  const edit = (to: string, label: string, about: string) =>
    actionLink(call, records, 'users.update', { to, label, about });
  const address =
    user.email === null
      ? none
      : html`<bdi>${user.email}</bdi> ${
            user.emailVerified
              ? html`<span class="badge good">Verified</span>`
              : html`<span class="badge warn">Unverified</span>`
          }`;
  const changeAddress = html`${
    user.email !== null && !user.emailVerified && edit('verify', 'Verify', 'the email address')
  }
  ${!user.isGuest && edit('address', user.email === null ? 'Add' : 'Change', 'the email address')}`;
  return card(
    'profile',
    'Profile',
    html`<dl class="facts">
      ${fact(
        'Name',
        name === null ? none : html`<bdi>${name}</bdi>`,
        edit('name', name === null ? 'Add' : 'Change', 'the name'),
      )}
      ${fact('Email address', address, changeAddress)}
      ${fact(
        'Username',
        user.username === null ? none : html`<bdi>${user.username}</bdi>`,
        edit('username', user.username === null ? 'Add' : 'Change', 'the username'),
      )}
      ${fact('Roles', roleTags(user.roles) || none, edit('roles', 'Change', 'the roles'))}
      ${fact('User id', html`<code>${user.id}</code>`)}
      ${user.externalId !== null && fact('External id', html`<code>${user.externalId}</code>`)}
      ${fact('Created', when(user.createdAt))} ${fact('Changed', when(user.updatedAt))}
      ${fact(
        'Last sign-in',
        user.lastSignInAt ? when(user.lastSignInAt) : html`<span class="soft">Never</span>`,
      )}
    </dl>`,
  );
}

export function metadata(call: Call, records: UserRecords): Html {
  const { user } = records;
  const isEmpty = Object.keys(user.metadata).length === 0;
  return card(
    'metadata',
    'Metadata',
    isEmpty
      ? html`<p class="none">No metadata.</p>`
      : html`<pre tabindex="0" aria-label="Metadata">${JSON.stringify(user.metadata, null, 2)}</pre>`,
    actionLink(call, records, 'users.update', { to: 'metadata', label: 'Edit', about: 'the metadata' }),
  );
}

/** Deletion is part of the Pro tier. */
export function deletion(call: Call, records: UserRecords): Html | false {
  if (!records.features.account || !records.allowed.has('users.remove')) return false;
  return card(
    'delete',
    'Delete user',
    html`<p class="none">
        Removes <bdi>${nameOf(records.user)}</bdi> and everything that belongs to this user. This cannot be
        undone.
      </p>
      ${actionLink(call, records, 'users.remove', {
        to: 'delete',
        label: 'Delete user',
        look: 'button danger-outline',
      })}`,
  );
}
