// whose an answer of a provider is, where it leads a browser, and what is kept of it, over the routes of
// both kinds of provider.
import { createHash } from 'node:crypto';
import { callbackOf } from '../../support/every-provider.js';
import { wholeProduct } from '../../support/whole-product.js';
import {
  refused,
  onLoopback,
  idps,
  kinds,
  plain,
  personAt,
  started,
  tokenRequests,
  callback,
  expectRefused,
} from './identity-providers.js';

describe('An identity provider', () => {
  const open = wholeProduct(undefined, onLoopback);

  it.each(kinds)(
    'A-72 at %s, a code is bound to its browser by PKCE with S256, and worth nothing without it',
    async (at, name) => {
      const site = await open();
      const { url, answer, cookie } = await started(site, at, name, personAt(name));
      const { code_challenge: challenge, code_challenge_method: method } = Object.fromEntries(
        url.searchParams,
      );
      expect([method, challenge]).toEqual(['S256', expect.stringMatching(/^[\w-]{43}$/)]);
      expect((await callback(site, at, answer, cookie)).location).toBe('/');
      const asked = idps[name].requests.filter(({ path }) => path === '/token').at(-1)!;
      const verifier = asked.fields['code_verifier']!;
      expect(verifier).toMatch(/^[\w.~-]{43,128}$/);
      expect(createHash('sha256').update(verifier).digest('base64url')).toBe(challenge);
      // The verifier stays here until then: neither the provider's page nor the address bar has seen it.
      expect(url.href + answer.toString()).not.toContain(verifier);
      // A code that was stolen on its way, put into a sign-in of the thief's own.
      const [stolen, thief] = [
        await started(site, at, name, personAt(name)),
        await started(site, at, name, personAt(name)),
      ];
      const mixed = new URLSearchParams(thief.answer);
      mixed.set('code', stolen.answer.get('code')!);
      expectRefused(await callback(site, at, mixed, thief.cookie), 'stolen');
      const made = await site.service.oauth('acme').getAuthUrl();
      expect(made).toMatchObject({ codeVerifier: expect.stringMatching(/^[\w.~-]{43,128}$/) as string });
    },
  );

  it.each(kinds)('A-73 at %s, the answer of one provider is never taken for another’s', async (at, name) => {
    const site = await open();
    const [mine, other] = [
      await started(site, at, name, personAt(name)),
      await started(site, '/oauth/other', 'other', personAt('other')),
    ];
    const elsewhere = at === '/google' ? '/oauth/acme' : '/google';
    const before = tokenRequests();
    expectRefused(await callback(site, elsewhere, mine.answer, mine.cookie), 'at another place');
    expectRefused(await callback(site, at, other.answer, other.cookie), 'of another');
    // The transaction names its provider, whatever issuer the answer names.
    const led = await started(site, at, name, personAt(name));
    led.answer.set('iss', idps[elsewhere === '/google' ? 'google' : 'acme'].issuer);
    expectRefused(await callback(site, elsewhere, led.answer, led.cookie), 'in the name of that place');
    const foreign = await started(site, '/oauth/other', 'other', personAt('other'));
    foreign.answer.set('iss', idps[name].issuer);
    expectRefused(await callback(site, at, foreign.answer, foreign.cookie), 'in the name of this one');
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
    // Its code goes to nobody: the token endpoint that it would be sent to may be the attacker's.
    expect(tokenRequests()).toBe(before);
  });

  it.each(kinds)(
    'A-76 A-77 at %s, it is asked for openid, email and profile, and no parameter leads the browser elsewhere',
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
      expect(url.searchParams.get('redirect_uri')).toBe(callbackOf(at));
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

  it('A-77 the form of a provider leads to the address that is configured, whatever it and its request say', async () => {
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
    expect(location).toBe(`${callbackOf('/oauth/acme')}?code=x&state=https%3A%2F%2Fevil.test`);
  });

  it.each([...kinds, plain])(
    'A-79 at %s, what the provider hands over is in no cookie, redirect, answer, log or export',
    async (at, name) => {
      const site = await open();
      const subject = personAt(name);
      idps[name].lie({
        claims: { email: undefined },
        tokens: { refresh_token: 'the-refresh-token-of-the-provider' },
      });
      const { answer, cookie } = await started(site, at, name, subject);
      const done = await callback(site, at, answer, cookie);
      const requests = idps[name].requests;
      const accessToken = requests.at(-1)!.headers.authorization!.replace('Bearer ', '');
      const secrets = [
        'the-refresh-token-of-the-provider',
        accessToken,
        answer.get('code')!,
        idps[name].client.clientSecret,
      ];
      const me = { cookie: done.cookie() };
      const told = [
        done,
        await site.get('/session', me),
        await site.get('/identities', me),
        await site.get('/account/export', me),
      ];
      const shown = JSON.stringify([
        told.map(({ text, headers, location }) => [text, headers, location]),
        site.log,
      ]);
      for (const secret of secrets)
        expect([secret.length > 8, shown.includes(secret)]).toEqual([true, false]);
    },
  );
});
