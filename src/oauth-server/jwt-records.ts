/** Stores what an opaque token stores of each JWT that the engine signs. It knows the package of the protocol, as engine.ts does. */
import type { AccessToken, ClientCredentials, JWTStructured } from 'oidc-provider';
import type { Clock } from '../core/support/clock.js';
import { jwtRecordId } from './jwt-access-tokens.js';
import type { RecordStore, TokenExtra } from './records.js';

export async function storeJwt(
  stores: (model: string) => RecordStore,
  clock: Clock,
  token: AccessToken | ClientCredentials,
  { payload }: JWTStructured,
): Promise<void> {
  const { aud, clientId, expiration, extra, jkt, jti = '', kind, scope } = token;
  const { reach: _reach, until = Infinity } = (extra ?? {}) as TokenExtra;
  // By the clock of the service, which checks them.
  const now = clock();
  const iat = Math.floor(now / 1000);
  const exp = Math.floor(Math.min(now + expiration * 1000, until) / 1000);
  Object.assign(payload, { iat, exp });
  // They stay here.
  delete payload['reach'];
  delete payload['until'];
  const record = { aud, clientId, exp, extra, iat, jkt, kind, scope };
  const ofUser = 'grantId' in token && { accountId: token.accountId, grantId: token.grantId };
  await stores(kind).upsert(jwtRecordId(jti), { ...record, ...ofUser }, exp - iat);
}
