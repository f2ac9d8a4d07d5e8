/** Refresh tokens of grants: the id of the grant, a number and a MAC, so that no token is stored (docs/decisions/refresh-rotation.md). */
import { constantTimeEqual, mac } from '../crypto/digest.js';
import type { Keyring } from '../crypto/keys.js';

export interface OpenedRefreshToken {
  grantId: string;
  counter: number;
}

const macsOf = (keys: Keyring, grantId: string, counter: number) =>
  keys
    .subkeys('oauth_server')
    .map((key) => mac(key, 'refresh', grantId, String(counter)).toString('base64url'));

export function refreshTokenOf(keys: Keyring, { grantId, counter }: OpenedRefreshToken): string {
  return `${grantId}.${counter}.${macsOf(keys, grantId, counter)[0]!}`;
}

/** Checks the MAC before anything is looked up. Null for a token that was not issued. */
export function openRefreshToken(keys: Keyring, token: string): OpenedRefreshToken | null {
  const match = /^([0-9a-f-]{36})\.(0|[1-9]\d{0,8})\.([\w-]{43})$/.exec(token);
  const [, grantId, count, signature] = match ?? [];
  if (grantId === undefined || signature === undefined) return null;
  const counter = Number(count);
  const isOurs = macsOf(keys, grantId, counter).some((each) => constantTimeEqual(each, signature));
  return isOurs ? { grantId, counter } : null;
}
