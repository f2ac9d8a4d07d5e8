// identity providers that lie, browsers that are led somewhere, and answers that are another’s, over the
// routes of both kinds of provider.
import { createHash, createHmac } from 'node:crypto';
import type { MockLies } from 'svc-auth/testing';
import { callbackOf } from '../../support/every-provider.js';
import { wholeProduct, type WholeSite } from '../../support/whole-product.js';
import {
  refused,
  encode,
  onLoopback,
  idps,
  kinds,
  plain,
  personAt,
  started,
  tokenRequests,
  callback,
  signIn,
  expectRefused,
} from './identity-providers.js';

const lies: Record<string, MockLies> = {
  'an audience of somebody else': { audience: 'another-client' },
  'two audiences and no azp': { audience: ['mock-client', 'another-client'] },
  'an azp of somebody else': {
    audience: ['mock-client', 'another-client'],
    claims: { azp: 'another-client' },
  },
  'no audience': { claims: { aud: undefined } },
  'another issuer': { issuer: 'https://accounts.evil.test' },
  'its issuer with a slash': { claims: { iss: 'http://127.0.0.1/' } },
  'no issuer': { claims: { iss: undefined } },
  'another nonce': { nonce: 'another' },
  'no nonce': { claims: { nonce: undefined } },
  'a nonce in a list': { claims: { nonce: ['x'] } },
  'an end an hour ago': { expired: true },
  'no end': { claims: { exp: undefined } },
  'an end that is a text': { claims: { exp: '9999999999' } },
  'a beginning in the future': { claims: { nbf: 9_999_999_999 } },
  'no time of issue': { claims: { iat: undefined } },
  'no signature': { signature: 'none' },
  'the signature of a key that is nobody’s': { signature: 'unknown-key' },
  'no subject': { claims: { sub: undefined } },
  'an empty subject': { claims: { sub: '' } },
  'a subject that is a number': { claims: { sub: 42 } },
  'a subject that is a list': { claims: { sub: ['x'] } },
  'no ID token': { tokens: { id_token: undefined } },
  'an ID token that is none': { tokens: { id_token: 'a.b.c' } },
  'an ID token that is an object': { tokens: { id_token: {} } },
  'no access token': { tokens: { access_token: undefined } },
  'a token type that is no bearer': { tokens: { token_type: 'mac' } },
  'the userinfo of somebody else': { claims: { email: undefined }, userInfo: { sub: 'somebody else' } },
  'userinfo of nobody': { claims: { email: undefined }, userInfo: { sub: undefined } },
  'another issuer at discovery': {
    faults: { discovery: { body: '{"issuer":"https://accounts.evil.test"}' } },
  },
  'keys that are secrets': {
    faults: { jwks: { body: '{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"mock"}]}' } },
  },
  'no keys': { faults: { jwks: { body: '{"keys":[]}' } } },
  'keys that are no JSON': { faults: { jwks: { body: 'keys' } } },
};

describe('An identity provider', () => {
  const open = wholeProduct(undefined, onLoopback);
  const traces = async (site: WholeSite, provider: string, subject: string) => [
    await site.adapter.identities.findUser(provider, subject),
    await site.adapter.users.findByEmail(`${subject}@example.com`),
  ];

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

  it.each(kinds)('A-74 at %s, a lie of any kind signs nobody in, and leaves no trace', async (at, name) => {
    for (const [what, lie] of Object.entries(lies)) {
      // Discovery and keys are kept, so each lie meets somebody who has not asked yet.
      const site = await open();
      const subject = personAt(name);
      const begun = lie.faults?.discovery ? null : await started(site, at, name, subject);
      idps[name].lie(lie);
      const answer = begun
        ? await callback(site, at, begun.answer, begun.cookie)
        : await site.get(`${at}/start`);
      if (begun) expectRefused(answer, what);
      else expect([what, answer.status, answer.json.error]).toEqual([what, 400, 'oauth_error']);
      expect([what, await traces(site, name, subject)]).toEqual([what, [null, null]]);
      idps[name].lie({});
      // Keys are asked for again after a minute of the world's time.
      if (lie.faults?.jwks) continue;
      expect([what, (await signIn(site, at, name, subject)).location]).toEqual([what, '/']);
    }
  });

  it.each(kinds)('A-74 at %s, an ID token by HMAC is refused, whatever secret made it', async (at, name) => {
    const site = await open();
    const { client, issuer } = idps[name];
    for (const key of [client.clientSecret, 'mock', '', 'secret']) {
      const subject = personAt(name);
      const { url, answer, cookie } = await started(site, at, name, subject);
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: issuer,
        aud: client.clientId,
        sub: subject,
        iat: now,
        exp: now + 600,
        nonce: url.searchParams.get('nonce'),
      };
      const text = `${encode({ alg: 'HS256', kid: 'mock' })}.${encode(claims)}`;
      idps[name].lie({
        tokens: { id_token: `${text}.${createHmac('sha256', key).update(text).digest('base64url')}` },
      });
      expectRefused(await callback(site, at, answer, cookie), key);
      expect(await traces(site, name, subject)).toEqual([null, null]);
    }
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
      expect(failed.location).toBe(refused);
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
    'A-78 at %s, no redirect of its is followed, no answer read without end, and its failures are ours to name',
    async (at, name) => {
      const site = await open();
      const idp = idps[name];
      const subject = personAt(name);
      const spoken = name === 'other' ? [] : (['discovery', 'jwks'] as const);
      for (const endpoint of [...spoken, 'token', 'userinfo'] as const) {
        const bodies = ['', '{', 'null', '[]', '"x"', '<html>', '{"error":{"a":1}}'];
        const faults = [
          'redirect',
          'oversize',
          'error',
          'error-200',
          'missing',
          { status: 500, body: 'secret reason' },
        ] as const;
        for (const fault of [...faults, ...bodies.map((body) => ({ body }))]) {
          const fresh = endpoint === 'discovery' || endpoint === 'jwks' ? await open() : site;
          const begun = endpoint === 'discovery' ? null : await started(fresh, at, name, subject);
          const before = idp.requests.length;
          // Without an address in the ID token the userinfo endpoint is asked as well.
          idp.lie({ claims: { email: undefined }, faults: { [endpoint]: fault } });
          const answer = begun
            ? await callback(fresh, at, begun.answer, begun.cookie)
            : await fresh.get(`${at}/start`);
          if (begun) expectRefused(answer, [endpoint, fault]);
          else expect([fault, answer.status, answer.json.error]).toEqual([fault, 400, 'oauth_error']);
          expect(answer.text).not.toContain('secret reason');
          expect(idp.requests.slice(before).filter(({ path }) => path === '/elsewhere')).toEqual([]);
          idp.lie({});
        }
      }
    },
  );

  it.each([...kinds, plain])(
    'A-78 at %s, an answer that is right in everything but two megabytes long is not read to its end',
    async (at, name) => {
      const site = await open();
      const padded = (padding: string): MockLies[] => [
        { tokens: { padding } },
        { claims: { email: undefined }, userInfo: { padding } },
      ];
      for (const lie of padded('x'.repeat(1000))) {
        idps[name].lie(lie);
        expect((await signIn(site, at, name, personAt(name))).location).toBe('/');
      }
      for (const lie of padded('x'.repeat(2 * 1024 * 1024))) {
        idps[name].lie(lie);
        expectRefused(await signIn(site, at, name, personAt(name)), Object.keys(lie));
      }
    },
  );

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
