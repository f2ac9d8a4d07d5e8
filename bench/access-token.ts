/** Signs a user in at the OAuth server of a site, as a client and a browser do, and returns the access token. */
import { createHash, randomBytes } from 'node:crypto';

const redirectUri = 'https://client.example/callback';

interface TokenSource {
  origin: string;
  cookie: string;
  clients: {
    create: (client: { name: string; redirectUris: string[] }) => Promise<{ client: { id: string } }>;
  };
}

export async function accessTokenOf({ origin, cookie, clients }: TokenSource): Promise<string> {
  const { client } = await clients.create({ name: 'Benchmark', redirectUris: [redirectUri] });
  const verifier = randomBytes(32).toString('base64url');
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const cookies = new Map([['', cookie]]);
  const send = async (address: URL, init: RequestInit = {}) => {
    const headers = { ...(init.headers as object), cookie: [...cookies.values()].join('; ') };
    const response = await fetch(address, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      cookies.set(pair.split('=', 1)[0]!, pair);
    }
    return response;
  };
  let address = new URL(`/oauth/authorize?${request.toString()}`, origin);
  for (let step = 0; step < 10; step++) {
    let response = await send(address);
    const html = await response.text();
    const form = /<form[^>]*action="([^"]*\/allow)"[^>]*>(.*?)<\/form>/s.exec(html);
    if (form) {
      const inputs = [...form[2]!.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)];
      const body = new URLSearchParams(
        inputs.map(([, name = '', value = '']): [string, string] => [name, value]),
      );
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin };
      response = await send(new URL(form[1]!, address), { method: 'POST', headers, body: body.toString() });
    }
    const refresh = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    const next = response.headers.get('location') ?? refresh;
    if (next === undefined) throw new Error(`${address.href}: ${response.status} ${html.slice(0, 500)}`);
    address = new URL(next, address);
    const code = address.searchParams.get('code');
    if (code !== null) return redeem(origin, client.id, code, verifier);
  }
  throw new Error(`No code came back: ${address.href}`);
}

async function redeem(origin: string, clientId: string, code: string, verifier: string): Promise<string> {
  const body = new URLSearchParams({
    ...{ grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri },
    ...{ code, code_verifier: verifier },
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(`${origin}/oauth/token`, { method: 'POST', headers, body: body.toString() });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`The code was refused: ${response.status}`);
  return token;
}
