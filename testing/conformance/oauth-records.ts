/** Records of an OAuth server, for the chapters of its repository. */
import { randomUUID } from 'node:crypto';
import type { OAuthClient, OAuthGrant, OAuthToken } from '../../src/domain/oauth-server.js';
import { after, now, type With } from './suite.js';

export const minute = 60_000;
export const day = 24 * 60 * minute;

export function newClient(overrides: Partial<OAuthClient> = {}): OAuthClient {
  const metadata = { client_name: 'Notes', redirect_uris: ['https://notes.test/callback'] };
  return { id: randomUUID(), kind: 'registered', metadata, createdAt: now, expiresAt: null, ...overrides };
}

export function newGrant(userId: string, overrides: Partial<OAuthGrant> = {}): OAuthGrant {
  return {
    id: randomUUID(),
    userId,
    clientId: `client-${randomUUID()}`,
    epoch: 0,
    scopes: { '': ['openid'], 'https://app.test/mcp': ['notes:read'] },
    renewal: null,
    counter: 0,
    rotatedAt: now,
    createdAt: now,
    lastUsedAt: null,
    expiresAt: after(day),
    ...overrides,
  };
}

/** Inserts a grant, and its client if it is not stored. */
export async function insertGrant(
  { oauthServer }: With<'oauthServer'>,
  grant: OAuthGrant,
  at = now,
): Promise<boolean> {
  await oauthServer.insertClient(newClient({ id: grant.clientId }));
  return oauthServer.insertGrant(grant, at);
}

export function newToken(overrides: Partial<OAuthToken> = {}): OAuthToken {
  return {
    digest: randomUUID(),
    kind: 'access',
    alias: null,
    grantId: null,
    clientId: null,
    data: { scope: 'notes:read' },
    usedAt: null,
    expiresAt: after(minute),
    ...overrides,
  };
}
