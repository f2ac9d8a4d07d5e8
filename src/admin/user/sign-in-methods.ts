/** How a user can sign in: password, authenticator app, linked accounts and passkeys. */
import { phoneProvider } from '../../domain/identity.js';
import { html, type Html } from '../../html/html.js';
import { when } from '../dates.js';
import type { Call } from '../page.js';
import { actionLink, card, entries, entry, fact } from './card.js';
import type { UserRecords } from './records.js';

export function signInMethods(call: Call, records: UserRecords): Html {
  const { user, features } = records;
  const canHavePassword = user.email !== null || user.username !== null;
  const setPassword =
    canHavePassword &&
    actionLink(call, records, 'users.setPassword', {
      to: 'password',
      label: user.hasPassword ? 'Replace' : 'Set',
      about: 'the password',
    });
  const removeApp =
    features.totp &&
    user.twoFactor &&
    actionLink(call, records, 'users.totp.disable', {
      to: 'authenticator/remove',
      label: 'Remove',
      about: 'the authenticator app',
    });
  return card(
    'methods',
    'Sign-in methods',
    html`<dl class="facts">
        ${fact('Password', user.hasPassword ? 'Set' : html`<span class="soft">Not set</span>`, setPassword)}
        ${fact('Authenticator app', user.twoFactor ? 'On' : html`<span class="soft">Off</span>`, removeApp)}
      </dl>
      ${linkedAccounts(call, records)} ${passkeys(call, records)}`,
  );
}

/** Phone numbers are identities too. */
function linkedAccounts(call: Call, records: UserRecords): Html | null {
  if (!records.identities) return null;
  const rows = records.identities.map(({ id, provider, providerAccountId, createdAt }) => {
    const name = provider === phoneProvider ? 'Phone number' : provider;
    return entry(
      name,
      html`<bdi>${providerAccountId}</bdi> · linked ${when(createdAt, 'date')}`,
      actionLink(call, records, 'users.identities.remove', {
        to: `identities/${encodeURIComponent(id)}/unlink`,
        label: 'Unlink',
        about: `${name} ${providerAccountId}`,
      }),
    );
  });
  return html`<h3>Linked accounts</h3>
    ${entries(call, records, null, { rows, nextCursor: null, empty: 'No linked accounts.' })}`;
}

function passkeys(call: Call, records: UserRecords): Html | null {
  if (!records.passkeys) return null;
  const { credentials, nextCursor } = records.passkeys;
  const rows = credentials.map(({ id, createdAt, lastUsedAt, backedUp }) =>
    entry(
      html`Passkey <code>${id.slice(0, 8)}</code> ${backedUp && html`<span class="badge">Synced</span>`}`,
      html`Added ${when(createdAt, 'date')} ·
      ${lastUsedAt ? html`last used ${when(lastUsedAt)}` : 'never used'}`,
      actionLink(call, records, 'users.passkeys.remove', {
        to: `passkeys/${encodeURIComponent(id)}/remove`,
        label: 'Remove',
        about: `passkey ${id.slice(0, 8)}`,
      }),
    ),
  );
  return html`<h3 id="passkeys">Passkeys</h3>
    ${entries(call, records, 'passkeys', { rows, nextCursor, empty: 'No passkeys.' })}`;
}
