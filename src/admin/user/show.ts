/** The page of one user. */
import { html, type Html } from '../../html/html.js';
import { when } from '../dates.js';
import { defineAdminPage, type Call } from '../page.js';
import { badges, nameOf, personOf } from '../person.js';
import { actionLink } from './card.js';
import { apiKeys, appTokens, organizations, sessions } from './lists.js';
import { deletion, metadata, profile } from './profile.js';
import { readRecords, type UserRecords } from './records.js';
import { signInMethods } from './sign-in-methods.js';

export const userPage = defineAdminPage({
  path: '/users/:id',
  access: 'no-impersonation',
  action: 'users.get',
  async show(call) {
    const records = await readRecords(call);
    const { user } = records;
    const { name, avatar } = personOf(call, user);
    const body = html`<div class="heading person">
        ${avatar}
        <div>
          <h1><bdi>${name ?? nameOf(user)}</bdi></h1>
          ${name !== null && html`<bdi class="second">${nameOf(user)}</bdi>`}
          <p class="badges">
            ${badges(user)} ${user.id === call.me.id && html`<span class="badge">You</span>`}
          </p>
        </div>
        <div class="buttons">${actionsOf(call, records)}</div>
      </div>
      ${block(call, records)}
      <div class="columns">
        <div>${profile(call, records)} ${signInMethods(call, records)} ${metadata(call, records)}</div>
        <div>
          ${sessions(call, records)} ${appTokens(call, records)} ${organizations(call, records)}
          ${apiKeys(call, records)} ${deletion(call, records)}
        </div>
      </div>`;
    return { title: nameOf(user), trail: [{ label: 'Users', path: '/users' }], body };
  },
});

function actionsOf(call: Call, records: UserRecords): Html {
  const { user, features } = records;
  const isMe = user.id === call.me.id;
  return html`${
    features.sessions &&
    !isMe &&
    !user.blocked &&
    actionLink(call, records, 'users.impersonate', {
      to: 'impersonate',
      label: 'Impersonate',
      look: 'button',
    })
  }
  ${actionLink(call, records, 'users.signOut', {
    to: 'sign-out',
    label: 'Sign out everywhere',
    look: 'button',
  })}
  ${
    !user.blocked &&
    actionLink(call, records, 'users.block', { to: 'block', label: 'Block', look: 'button danger-outline' })
  }`;
}

function block(call: Call, records: UserRecords): Html | null {
  const { blocked } = records.user;
  if (!blocked) return null;
  const { at, until, reason } = blocked;
  return html`<div class="callout bad block">
    <div>
      <h2>Blocked ${until ? html`until ${when(until)}` : 'until you unblock'}</h2>
      <p>Since ${when(at)}. ${reason !== null && html`Reason: <bdi class="reason">${reason}</bdi>`}</p>
    </div>
    ${actionLink(call, records, 'users.unblock', { to: 'unblock', label: 'Unblock', look: 'button' })}
  </div>`;
}
