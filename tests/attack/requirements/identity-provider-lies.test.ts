// identity providers that lie, and those that break, over the routes of both kinds of provider.
import { createHmac } from 'node:crypto';
import type { MockLies } from 'svc-auth/testing';
import { wholeProduct, type WholeSite } from '../../support/whole-product.js';
import {
  encode,
  onLoopback,
  idps,
  kinds,
  plain,
  personAt,
  started,
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
});
