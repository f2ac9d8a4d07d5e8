/** The sections with what a user has: sessions, organizations, API keys. */
import type { PublicApiKey } from '../../domain/api-key.js';
import { html, type Html } from '../../html/html.js';
import { internals } from '../../core/internals.js';
import { when } from '../dates.js';
import { deviceName } from '../../domain/device-name.js';
import type { Call } from '../page.js';
import { actionLink, card, entries, entry } from './card.js';
import type { UserRecords } from './records.js';

export function sessions(call: Call, records: UserRecords): Html | null {
  if (!records.sessions) return null;
  const { nextCursor } = records.sessions;
  const rows = records.sessions.sessions.map(({ id, device, createdAt, lastSeenAt, current }) =>
    entry(
      html`<bdi>${deviceName(device)}</bdi> ${current && html`<span class="badge good">This session</span>`}`,
      html`${device.ip !== undefined && html`<bdi>${device.ip}</bdi> · `}signed in ${when(createdAt)} · last
      seen ${when(lastSeenAt)}`,
      actionLink(call, records, 'users.sessions.revoke', {
        to: `sessions/${encodeURIComponent(id)}/end`,
        label: 'Sign out',
        about: `session on ${deviceName(device)}`,
      }),
    ),
  );
  const list = entries(call, records, 'sessions', { rows, nextCursor, empty: 'Not signed in anywhere.' });
  return card('sessions', 'Sessions', list);
}

/** Programs that are signed in with a refresh token. A user without one has no such section: most applications have few. */
export function appTokens(call: Call, records: UserRecords): Html | null {
  if (!records.tokens || (records.tokens.families.length === 0 && !call.query.has('tokens'))) return null;
  const { families, nextCursor } = records.tokens;
  const rows = families.map(({ id, device, createdAt, lastUsedAt }) =>
    entry(
      html`<bdi>${deviceName(device)}</bdi>`,
      html`Signed in ${when(createdAt)} ·
      ${lastUsedAt ? html`last refreshed ${when(lastUsedAt)}` : 'never refreshed'}`,
      actionLink(call, records, 'users.tokens.revoke', {
        to: `tokens/${encodeURIComponent(id)}/revoke`,
        label: 'Revoke',
        about: `token of ${deviceName(device)}`,
      }),
    ),
  );
  return card(
    'tokens',
    'App tokens',
    entries(call, records, 'tokens', { rows, nextCursor, empty: 'No tokens.' }),
  );
}

export function organizations(call: Call, records: UserRecords): Html | null {
  if (!records.orgs) return null;
  const { memberships, nextCursor } = records.orgs;
  const rows = memberships.map(({ org, role, createdAt }) =>
    entry(
      html`<bdi>${org.name}</bdi> <span class="tag">${role}</span>`,
      html`<bdi>${org.slug}</bdi> · member since ${when(createdAt, 'date')}`,
      actionLink(call, records, 'users.orgs.removeMember', {
        to: `organizations/${encodeURIComponent(org.id)}/remove`,
        label: 'Remove',
        about: `from ${org.name}`,
      }),
    ),
  );
  const empty = 'Not a member of an organization.';
  return card(
    'organizations',
    'Organizations',
    entries(call, records, 'organizations', { rows, nextCursor, empty }),
  );
}

export function apiKeys(call: Call, records: UserRecords): Html | null {
  if (!records.apiKeys) return null;
  const now = call.service[internals].clock();
  const rows = records.apiKeys.apiKeys.map((key) => {
    const state = stateOf(key, now);
    return entry(
      html`<bdi>${key.name}</bdi> <code>${key.prefix}…</code> ${
          state !== 'Active' && html`<span class="badge">${state}</span>`
        }`,
      html`${key.scopes.length > 0 && html`${key.scopes.join(', ')} · `}created ${when(key.createdAt, 'date')}
      · ${key.lastUsedAt ? html`last used ${when(key.lastUsedAt)}` : 'never used'}`,
      state === 'Active' &&
        actionLink(call, records, 'users.apiKeys.remove', {
          to: `keys/${encodeURIComponent(key.id)}/revoke`,
          label: 'Revoke',
          about: `key ${key.name}`,
        }),
    );
  });
  const { nextCursor } = records.apiKeys;
  return card(
    'keys',
    'API keys',
    entries(call, records, 'keys', { rows, nextCursor, empty: 'No API keys.' }),
  );
}

function stateOf({ revokedAt, expiresAt }: PublicApiKey, now: number): 'Active' | 'Expired' | 'Revoked' {
  if (revokedAt) return 'Revoked';
  return expiresAt && !(now < expiresAt.getTime()) ? 'Expired' : 'Active';
}
