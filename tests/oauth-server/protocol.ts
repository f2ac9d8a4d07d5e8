/** The requests of a client, one by one. */
import { createHash, randomBytes } from 'node:crypto';
import type { Browser, OAuthSite } from '../support/oauth-site.js';

/** Where a site is, perhaps in another process. */
export type Address = Pick<OAuthSite, 'issuer' | 'resource'>;

export interface Started {
  url: string;
  verifier: string;
}

export interface TokenAnswer {
  status: number;
  access_token: string;
  refresh_token: string;
  scope?: string;
  error?: string;
  id_token?: string;
}

export const callback = 'https://notes.test/callback';

/** @param params replace those of a right request; undefined leaves one out. */
export function authorizeUrl(
  { issuer, resource }: Address,
  clientId: string,
  params: Record<string, string | undefined> = {},
): Started {
  const verifier = randomBytes(32).toString('base64url');
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: callback,
    scope: 'notes:read',
    resource,
    state: 'opaque',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...params,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { url: `${issuer}/oauth/authorize?${new URLSearchParams(given).toString()}`, verifier };
}

export async function askForToken(
  { issuer }: Address,
  params: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<TokenAnswer> {
  const response = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(params).toString(),
  });
  return { status: response.status, ...((await response.json()) as Omit<TokenAnswer, 'status'>) };
}

export interface Redeemable {
  grant_type: 'authorization_code';
  client_id: string;
  redirect_uri: string;
  resource: string;
  code: string;
  code_verifier: string;
}

/** Goes through the pages as a user who allows everything. Returns what redeems the code. */
export async function allow(
  site: Address,
  browser: Browser,
  clientId: string,
  params: Record<string, string | undefined> = {},
): Promise<Redeemable & Record<string, string>> {
  const { url, verifier } = authorizeUrl(site, clientId, params);
  const page = await browser.open(url);
  const end = page.html === '' ? page : await browser.submit(page.html, '/consent/allow');
  const code = end.url.searchParams.get('code');
  if (code === null) throw new Error(`No code: ${end.url.href} ${end.html.slice(0, 500)}`);
  return {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: params['redirect_uri'] ?? callback,
    resource: site.resource,
    code,
    code_verifier: verifier,
  };
}

export async function signedIn(
  site: OAuthSite,
  email: string,
  clientId: string,
  params = {},
): Promise<TokenAnswer> {
  return askForToken(site, await allow(site, await site.browser(email), clientId, params));
}

export const refresh = (
  site: Address,
  clientId: string,
  token: string,
  more: Record<string, string> = {},
  headers: Record<string, string> = {},
) => {
  const own = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token };
  return askForToken(site, { ...own, resource: site.resource, ...more }, headers);
};

export const call = (site: Address, token?: string) =>
  fetch(site.resource, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
