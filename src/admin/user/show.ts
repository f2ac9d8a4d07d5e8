/** The page of one user. */
import { html, type Html } from '../../html/html.js';
import { when } from '../dates.js';
import { defineAdminPage, type Call } from '../page.js';
import { badges, nameOf, personOf, trailToUsers } from '../person.js';
import { actionLink } from './card.js';
import { apiKeys, appTokens, organizations, sessions } from './lists.js';
import { deletion, metadata, profile } from './profile.js';
import { readRecords, type UserRecords } from './records.js';
import { signIns } from './sign-ins.js';
import { signInMethods } from './sign-in-methods.js';

export const userPage = defineAdminPage({
  path: '/users/:id',
  access: 'no-impersonation',
  action: 'users.get',
  async show(call) {
    const records = await readRecords(call);
    const signInRecords = await signIns(call);
    const { user } = records;
    const { texts } = call;
    const { name, avatar } = personOf(call, user);
    const body = html`<div class="heading person">
        ${avatar}
        <div>
          <h1><bdi>${name ?? nameOf(texts, user)}</bdi></h1>
          ${name !== null && html`<bdi class="second">${nameOf(texts, user)}</bdi>`}
          <p class="badges">
            ${badges(call, user)}
            ${user.id === call.me.id && html`<span class="badge">${texts.states.you}</span>`}
          </p>
        </div>
        <div class="buttons">${actionsOf(call, records)}</div>
      </div>
      ${block(call, records)}
      <div class="columns">
        <div>${profile(call, records)} ${signInMethods(call, records)} ${metadata(call, records)}</div>
        <div>
          ${sessions(call, records)} ${signInRecords} ${appTokens(call, records)}
          ${organizations(call, records)} ${apiKeys(call, records)} ${deletion(call, records)}
        </div>
      </div>`;
    return { title: nameOf(texts, user), trail: trailToUsers(texts), body };
  },
});

function actionsOf(call: Call, records: UserRecords): Html {
  const { user, features } = records;
  const words = call.texts.user;
  const isMe = user.id === call.me.id;
  return html`${
    features.sessions &&
    !isMe &&
    !user.blocked &&
    actionLink(call, records, 'users.impersonate', {
      to: 'impersonate',
      label: words.impersonate,
      look: 'button',
    })
  }
  ${actionLink(call, records, 'users.signOut', {
    to: 'sign-out',
    label: words.signOut,
    look: 'button',
  })}
  ${
    !user.blocked &&
    actionLink(call, records, 'users.block', {
      to: 'block',
      label: words.block,
      look: 'button danger-outline',
    })
  }`;
}

function block(call: Call, records: UserRecords): Html | null {
  const { blocked } = records.user;
  if (!blocked) return null;
  const words = call.texts.user;
  const { at, until, reason } = blocked;
  return html`<div class="callout bad block">
    <div>
      <h2>${until ? words.blockedUntil(when(call, until)) : words.blocked}</h2>
      <p>
        ${words.since(when(call, at))}
        ${reason !== null && words.reason(html`<bdi class="reason">${reason}</bdi>`)}
      </p>
    </div>
    ${actionLink(call, records, 'users.unblock', { to: 'unblock', label: words.unblock, look: 'button' })}
  </div>`;
}
