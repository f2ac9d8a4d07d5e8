// Which sign-in a provider's response belongs to, where it leads the browser, and what is kept of it, over the routes of
// both kinds of provider.
import { createHash } from 'node:crypto';
import { callbackUrl } from '../../support/every-provider.js';
import { fullSiteOpener } from '../../support/full-site.js';
import {
  refused,
  providersOfFile,
  idps,
  kinds,
  plain,
  personAt,
  started,
  tokenRequests,
  callback,
  expectRefused,
} from './identity-providers.js';

describe('Responses of an identity provider', () => {
  const open = fullSiteOpener(undefined, providersOfFile());

  //
  it.each(kinds)(
    'binds a code at %s to its browser by PKCE with S256, and rejects it in another sign-in',
    async (at, name) => {
      const site = await open();
      const { url, answer, cookie } = await started(site, at, name, personAt(name));
      const { code_challenge: challenge, code_challenge_method: method } = Object.fromEntries(
        url.searchParams,
      );
      expect([method, challenge]).toEqual(['S256', expect.stringMatching(/^[\w-]{43}$/)]);
      expect((await callback(site, at, answer, cookie)).location).toBe('/');
      const tokenRequest = idps[name].requests.filter(({ path }) => path === '/token').at(-1)!;
      const verifier = tokenRequest.fields['code_verifier']!;
      expect(verifier).toMatch(/^[\w.~-]{43,128}$/);
      expect(createHash('sha256').update(verifier).digest('base64url')).toBe(challenge);
      // The verifier stays on the server until then: it is not in the provider's URL or in the response.
      expect(url.href + answer.toString()).not.toContain(verifier);
      // A stolen code, placed in the attacker's own sign-in.
      const [stolen, thief] = [
        await started(site, at, name, personAt(name)),
        await started(site, at, name, personAt(name)),
      ];
      const mixed = new URLSearchParams(thief.answer);
      mixed.set('code', stolen.answer.get('code')!);
      expectRefused(await callback(site, at, mixed, thief.cookie), 'stolen code');
      const authorization = await site.service.oauth('acme').getAuthUrl();
      expect(authorization).toMatchObject({
        codeVerifier: expect.stringMatching(/^[\w.~-]{43,128}$/) as string,
      });
    },
  );

  //
  it.each(kinds)('rejects another provider’s response at %s', async (at, name) => {
    const site = await open();
    const [mine, other] = [
      await started(site, at, name, personAt(name)),
      await started(site, '/oauth/other', 'other', personAt('other')),
    ];
    const elsewhere = at === '/google' ? '/oauth/acme' : '/google';
    const before = tokenRequests();
    expectRefused(await callback(site, elsewhere, mine.answer, mine.cookie), 'at another provider');
    expectRefused(await callback(site, at, other.answer, other.cookie), 'from another provider');
    // The transaction cookie identifies its provider, regardless of the issuer that the response names.
    const misdirected = await started(site, at, name, personAt(name));
    misdirected.answer.set('iss', idps[elsewhere === '/google' ? 'google' : 'acme'].issuer);
    expectRefused(
      await callback(site, elsewhere, misdirected.answer, misdirected.cookie),
      'naming the other issuer',
    );
    const foreign = await started(site, '/oauth/other', 'other', personAt('other'));
    foreign.answer.set('iss', idps[name].issuer);
    expectRefused(await callback(site, at, foreign.answer, foreign.cookie), 'naming this issuer');
    for (const issuers of [
      [idps.other.issuer],
      [],
      ['https://evil.test'],
      [idps[name].issuer, idps.other.issuer],
    ]) {
      const { answer, cookie } = await started(site, at, name, personAt(name));
      answer.delete('iss');
      for (const issuer of issuers) answer.append('iss', issuer);
      expectRefused(await callback(site, at, answer, cookie), issuers);
    }
    // The code is never sent to a token endpoint, which may belong to the attacker.
    expect(tokenRequests()).toBe(before);
  });

  //
  it.each(kinds)(
    'requests only openid, email and profile at %s, and no parameter redirects the browser elsewhere',
    async (at, name) => {
      const site = await open();
      const target = 'https://evil.test/';
      const names = [
        'redirect_uri',
        'redirectTo',
        'next',
        'return_to',
        'successRedirect',
        'scope',
        'client_id',
        'prompt',
        'response_type',
      ];
      const query = `?${new URLSearchParams([...names.map((each): [string, string] => [each, target]), ['state', target]]).toString()}`;
      const { url, answer, cookie } = await started(site, at, name, personAt(name), query);
      expect(url.href).not.toContain('evil.test');
      expect(url.searchParams.get('scope')?.split(' ').sort()).toEqual(['email', 'openid', 'profile']);
      expect(url.searchParams.get('redirect_uri')).toBe(callbackUrl(at));
      for (const each of names.slice(0, 5)) answer.append(each, target);
      const headers = { Host: 'evil.test', 'X-Forwarded-Host': 'evil.test', Referer: target };
      const done = await site.get(`${at}/callback?${answer.toString()}`, { cookie, headers });
      expect(done.location).toBe(`/?state=${encodeURIComponent(target)}`);
      const failed = await site.get(`${at}/callback?error=${encodeURIComponent(target)}&state=${target}`, {
        headers,
      });
      expect(failed.location).toEqual(refused);
    },
  );

  //
  it('redirects the form post of a provider to the configured callback, regardless of its fields and headers', async () => {
    const site = await open();
    const form = new URLSearchParams({
      code: 'x',
      state: 'https://evil.test',
      redirect_uri: 'https://evil.test',
      user: '{}',
    });
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Host: 'evil.test',
      'X-Forwarded-Host': 'evil.test',
    };
    const { location } = await site.send('POST', '/oauth/acme/callback', form.toString(), { headers });
    expect(location).toBe(`${callbackUrl('/oauth/acme')}?code=x&state=https%3A%2F%2Fevil.test`);
  });

  //
  it.each([...kinds, plain])(
    'keeps the tokens, code and client secret of the provider at %s out of cookies, redirects, responses, logs and exports',
    async (at, name) => {
      const site = await open();
      const subject = personAt(name);
      idps[name].override({
        claims: { email: undefined },
        tokens: { refresh_token: 'the-refresh-token-of-the-provider' },
      });
      const { answer, cookie } = await started(site, at, name, subject);
      const finished = await callback(site, at, answer, cookie);
      const requests = idps[name].requests;
      const accessToken = requests.at(-1)!.headers.authorization!.replace('Bearer ', '');
      const secrets = [
        'the-refresh-token-of-the-provider',
        accessToken,
        answer.get('code')!,
        idps[name].client.clientSecret,
      ];
      const me = { cookie: finished.cookie() };
      const responses = [
        finished,
        await site.get('/session', me),
        await site.get('/identities', me),
        await site.get('/account/export', me),
      ];
      const output = JSON.stringify([
        responses.map(({ text, headers, location }) => [text, headers, location]),
        site.log,
      ]);
      for (const secret of secrets)
        expect([secret.length > 8, output.includes(secret)]).toEqual([true, false]);
    },
  );
});
