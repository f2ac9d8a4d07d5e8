/** Requests that are refused because of the key of their bearer session, by the reason that their response has. */
import { validPassword, type Site, type SiteOptions } from '../support/http-site.js';
import { newKey, proofsOf, type ClientKey } from '../oauth-server/proofs.js';
import type { Produce } from './reason-scenarios.js';

export const withBearer: SiteOptions = { service: { session: { bearer: true } } };

const key = newKey();

/** Returns the access token of a new session, bound to `owner` if there is one. */
async function tokenOf(site: Site, owner: ClientKey | null): Promise<string> {
  const proof =
    owner && proofsOf(() => ({ test: site }))(owner, 'POST', `${site.origin}/api/auth/password/signup`);
  const headers = { 'svc-session': 'bearer', ...(proof && { dpop: proof }) };
  const account = { email: site.uniqueEmail(), password: validPassword };
  const { json } = await site.post('/password/signup', account, { headers });
  return (json.bearer as { accessToken: string }).accessToken;
}

function me(site: Site, token: string, dpop?: string) {
  const headers = { authorization: `DPoP ${token}`, ...(dpop !== undefined && { dpop }) };
  return site.send('GET', '/app/me', undefined, { headers });
}

/** @param signer whose key signs the proof. */
async function proven(site: Site, owner: ClientKey | null, signer: ClientKey) {
  const token = await tokenOf(site, owner);
  return me(site, token, proofsOf(() => ({ test: site }))(signer, 'GET', `${site.origin}/app/me`, token));
}

export const keyReasons: Readonly<Record<string, Produce>> = {
  dpop_proof_missing: async (site) => me(site, await tokenOf(site, key)),
  dpop_proof_invalid: async (site) => me(site, await tokenOf(site, key), 'nonsense'),
  dpop_key_other: (site) => proven(site, key, newKey()),
  dpop_token_unbound: (site) => proven(site, null, key),
};
