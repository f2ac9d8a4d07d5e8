/** The sections with what a user has: sessions, organizations, API keys. */
import type { PublicApiKey } from '../../domain/api-key.js';
import { html, type Html } from '../../html/html.js';
import { internals } from '../../core/internals.js';
import { when } from '../dates.js';
import { deviceName } from '../device-name.js';
import type { Call } from '../page.js';
import { actionLink, card, entries, entry } from './card.js';
import type { UserRecords } from './records.js';

export function sessions(call: Call, records: UserRecords): Html | null {
  if (!records.sessions) return null;
  const { texts } = call;
  const words = texts.user.sessions;
  const { nextCursor } = records.sessions;
  const rows = records.sessions.sessions.map(({ id, device, createdAt, lastSeenAt, current }) =>
    entry(
      html`<bdi>${deviceName(texts, device)}</bdi> ${
          current && html`<span class="badge good">${words.current}</span>`
        }`,
      html`${device.ip !== undefined && html`<bdi>${device.ip}</bdi> · `}${words.signedIn(when(call, createdAt))}
      · ${words.lastSeen(when(call, lastSeenAt))}`,
      actionLink(call, records, 'users.sessions.revoke', {
        to: `sessions/${encodeURIComponent(id)}/end`,
        label: words.signOut,
        about: deviceName(texts, device),
      }),
    ),
  );
  const list = entries(call, records, 'sessions', { rows, nextCursor, empty: words.none });
  return card('sessions', words.title, list);
}

/** Programs that are signed in with a refresh token. A user without one has no such section: most applications have few. */
export function appTokens(call: Call, records: UserRecords): Html | null {
  if (!records.tokens || (records.tokens.families.length === 0 && !call.query.has('tokens'))) return null;
  const { texts } = call;
  const words = texts.user.tokens;
  const { families, nextCursor } = records.tokens;
  const rows = families.map(({ id, device, createdAt, lastUsedAt }) =>
    entry(
      html`<bdi>${deviceName(texts, device)}</bdi>`,
      html`${words.signedIn(when(call, createdAt))} ·
      ${lastUsedAt ? words.lastRefreshed(when(call, lastUsedAt)) : words.neverRefreshed}`,
      actionLink(call, records, 'users.tokens.revoke', {
        to: `tokens/${encodeURIComponent(id)}/revoke`,
        label: words.revoke,
        about: deviceName(texts, device),
      }),
    ),
  );
  return card(
    'tokens',
    words.title,
    entries(call, records, 'tokens', { rows, nextCursor, empty: words.none }),
  );
}

export function organizations(call: Call, records: UserRecords): Html | null {
  if (!records.orgs) return null;
  const words = call.texts.user.organizations;
  const { memberships, nextCursor } = records.orgs;
  const rows = memberships.map(({ org, role, createdAt }) =>
    entry(
      html`<bdi>${org.name}</bdi> <span class="tag">${role}</span>`,
      html`<bdi>${org.slug}</bdi> · ${words.since(when(call, createdAt, 'date'))}`,
      actionLink(call, records, 'users.orgs.removeMember', {
        to: `organizations/${encodeURIComponent(org.id)}/remove`,
        label: call.texts.user.remove,
        about: org.name,
      }),
    ),
  );
  return card(
    'organizations',
    words.title,
    entries(call, records, 'organizations', { rows, nextCursor, empty: words.none }),
  );
}

export function apiKeys(call: Call, records: UserRecords): Html | null {
  if (!records.apiKeys) return null;
  const words = call.texts.user.keys;
  const now = call.service[internals].clock();
  const rows = records.apiKeys.apiKeys.map((key) => {
    const state = stateOf(key, now);
    return entry(
      html`<bdi>${key.name}</bdi> <code>${key.prefix}…</code> ${
          state !== 'active' && html`<span class="badge">${words[state]}</span>`
        }`,
      html`${key.scopes.length > 0 && html`${key.scopes.join(', ')} · `}${words.created(
        when(call, key.createdAt, 'date'),
      )}
      · ${key.lastUsedAt ? words.lastUsed(when(call, key.lastUsedAt)) : words.neverUsed}`,
      state === 'active' &&
        actionLink(call, records, 'users.apiKeys.remove', {
          to: `keys/${encodeURIComponent(key.id)}/revoke`,
          label: words.revoke,
          about: key.name,
        }),
    );
  });
  const { nextCursor } = records.apiKeys;
  return card('keys', words.title, entries(call, records, 'keys', { rows, nextCursor, empty: words.none }));
}

function stateOf({ revokedAt, expiresAt }: PublicApiKey, now: number): 'active' | 'expired' | 'revoked' {
  if (revokedAt) return 'revoked';
  return expiresAt && !(now < expiresAt.getTime()) ? 'expired' : 'active';
}
