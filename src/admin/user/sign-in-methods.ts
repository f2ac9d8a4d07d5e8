/** How a user can sign in: password, authenticator app, linked accounts and passkeys. */
import { phoneProvider } from '../../domain/identity.js';
import { html, type Html } from '../../html/html.js';
import { when } from '../dates.js';
import type { Call } from '../page.js';
import { actionLink, card, entries, entry, fact } from './card.js';
import type { UserRecords } from './records.js';

export function signInMethods(call: Call, records: UserRecords): Html {
  const { user, features } = records;
  const { user: verbs } = call.texts;
  const words = verbs.methods;
  const canHavePassword = user.email !== null || user.username !== null;
  const setPassword =
    canHavePassword &&
    actionLink(call, records, 'users.setPassword', {
      to: 'password',
      label: user.hasPassword ? verbs.replace : verbs.set,
      about: words.password,
    });
  const removeApp =
    features.totp &&
    user.twoFactor &&
    actionLink(call, records, 'users.totp.disable', {
      to: 'authenticator/remove',
      label: verbs.remove,
      about: words.app,
    });
  return card(
    'methods',
    words.title,
    html`<dl class="facts">
        ${fact(
          words.password,
          user.hasPassword ? words.passwordSet : html`<span class="soft">${words.passwordNotSet}</span>`,
          setPassword,
        )}
        ${fact(
          words.app,
          user.twoFactor ? words.on : html`<span class="soft">${words.off}</span>`,
          removeApp,
        )}
      </dl>
      ${linkedAccounts(call, records)} ${passkeys(call, records)}`,
  );
}

/** Phone numbers are identities too. */
function linkedAccounts(call: Call, records: UserRecords): Html | null {
  if (!records.identities) return null;
  const words = call.texts.user.methods;
  const rows = records.identities.map(({ id, provider, providerAccountId, createdAt }) => {
    const name = provider === phoneProvider ? words.phone : provider;
    return entry(
      name,
      html`<bdi>${providerAccountId}</bdi> · ${words.linked(when(call, createdAt, 'date'))}`,
      actionLink(call, records, 'users.identities.remove', {
        to: `identities/${encodeURIComponent(id)}/unlink`,
        label: words.unlink,
        about: `${name} ${providerAccountId}`,
      }),
    );
  });
  return html`<h3>${words.accounts}</h3>
    ${entries(call, records, null, { rows, nextCursor: null, empty: words.noAccounts })}`;
}

function passkeys(call: Call, records: UserRecords): Html | null {
  if (!records.passkeys) return null;
  const { user: verbs } = call.texts;
  const words = verbs.methods;
  const { credentials, nextCursor } = records.passkeys;
  const rows = credentials.map(({ id, createdAt, lastUsedAt, backedUp }) =>
    entry(
      html`${words.passkey(html`<code>${id.slice(0, 8)}</code>`)}
      ${backedUp && html`<span class="badge">${words.synced}</span>`}`,
      html`${words.added(when(call, createdAt, 'date'))} ·
      ${lastUsedAt ? words.lastUsed(when(call, lastUsedAt)) : words.neverUsed}`,
      actionLink(call, records, 'users.passkeys.remove', {
        to: `passkeys/${encodeURIComponent(id)}/remove`,
        label: verbs.remove,
        about: id.slice(0, 8),
      }),
    ),
  );
  return html`<h3 id="passkeys">${words.passkeys}</h3>
    ${entries(call, records, 'passkeys', { rows, nextCursor, empty: words.noPasskeys })}`;
}
