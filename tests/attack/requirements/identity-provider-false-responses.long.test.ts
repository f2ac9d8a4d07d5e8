// Identity providers with false or malformed responses, over the routes of both kinds of provider.
import { createHmac } from 'node:crypto';
import type { ResponseOverrides } from 'svc-auth/testing';
import { fullSiteOpener, type FullSite } from '../../support/full-site.js';
import {
  encode,
  providersOfFile,
  idps,
  kinds,
  plain,
  personAt,
  started,
  callback,
  signIn,
  expectRefused,
} from './identity-providers.js';

const falseResponses: Record<string, ResponseOverrides> = {
  'the audience of another client': { audience: 'another-client' },
  'two audiences without azp': { audience: ['mock-client', 'another-client'] },
  'the azp of another client': {
    audience: ['mock-client', 'another-client'],
    claims: { azp: 'another-client' },
  },
  'no audience': { claims: { aud: undefined } },
  'another issuer': { issuer: 'https://accounts.evil.test' },
  'its issuer with a trailing slash': { claims: { iss: 'http://127.0.0.1/' } },
  'no issuer': { claims: { iss: undefined } },
  'another nonce': { nonce: 'another' },
  'no nonce': { claims: { nonce: undefined } },
  'a nonce in a list': { claims: { nonce: ['x'] } },
  'an exp an hour ago': { expired: true },
  'no exp': { claims: { exp: undefined } },
  'an exp that is a string': { claims: { exp: '9999999999' } },
  'an nbf in the future': { claims: { nbf: 9_999_999_999 } },
  'no iat': { claims: { iat: undefined } },
  'no signature': { signature: 'none' },
  'the signature of an unknown key': { signature: 'unknown-key' },
  'no subject': { claims: { sub: undefined } },
  'an empty subject': { claims: { sub: '' } },
  'a subject that is a number': { claims: { sub: 42 } },
  'a subject that is a list': { claims: { sub: ['x'] } },
  'no ID token': { tokens: { id_token: undefined } },
  'a malformed ID token': { tokens: { id_token: 'a.b.c' } },
  'an ID token that is an object': { tokens: { id_token: {} } },
  'no access token': { tokens: { access_token: undefined } },
  'a token type other than bearer': { tokens: { token_type: 'mac' } },
  'the userinfo of another user': { claims: { email: undefined }, userInfo: { sub: 'another user' } },
  'userinfo without a subject': { claims: { email: undefined }, userInfo: { sub: undefined } },
  'another issuer in the discovery document': {
    faults: { discovery: { body: '{"issuer":"https://accounts.evil.test"}' } },
  },
  'symmetric keys in the JWKS': {
    faults: { jwks: { body: '{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"mock"}]}' } },
  },
  'an empty JWKS': { faults: { jwks: { body: '{"keys":[]}' } } },
  'a JWKS that is not JSON': { faults: { jwks: { body: 'keys' } } },
};

describe('False responses of an identity provider', () => {
  const open = fullSiteOpener(undefined, providersOfFile());
  const traces = async (site: FullSite, provider: string, subject: string) => [
    await site.adapter.identities.findUser(provider, subject),
    await site.adapter.users.findByEmail(`${subject}@example.com`),
  ];

  //
  it.each(kinds)('rejects every false response at %s, and stores nothing', async (at, name) => {
    for (const [what, overrides] of Object.entries(falseResponses)) {
      // Discovery and keys are cached, so each case gets a new service.
      const site = await open();
      const subject = personAt(name);
      const begun = overrides.faults?.discovery ? null : await started(site, at, name, subject);
      idps[name].override(overrides);
      const response = begun
        ? await callback(site, at, begun.answer, begun.cookie)
        : await site.get(`${at}/start`);
      if (begun) expectRefused(response, what);
      else expect([what, response.status, response.json.error]).toEqual([what, 400, 'oauth_error']);
      expect([what, await traces(site, name, subject)]).toEqual([what, [null, null]]);
      idps[name].override({});
      // Keys are requested again only after a minute of real time.
      if (overrides.faults?.jwks) continue;
      expect([what, (await signIn(site, at, name, subject)).location]).toEqual([what, '/']);
    }
  });

  //
  it.each(kinds)('rejects an ID token signed with HMAC at %s, for any secret', async (at, name) => {
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
      idps[name].override({
        tokens: { id_token: `${text}.${createHmac('sha256', key).update(text).digest('base64url')}` },
      });
      expectRefused(await callback(site, at, answer, cookie), key);
      expect(await traces(site, name, subject)).toEqual([null, null]);
    }
  });

  //
  it.each([...kinds, plain])(
    'follows no redirect of the provider at %s, limits the response size and maps every failure to its own error',
    async (at, name) => {
      const site = await open();
      const idp = idps[name];
      const subject = personAt(name);
      const openIdEndpoints = name === 'other' ? [] : (['discovery', 'jwks'] as const);
      for (const endpoint of [...openIdEndpoints, 'token', 'userinfo'] as const) {
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
          // Without an address in the ID token, the userinfo endpoint is requested too.
          idp.override({ claims: { email: undefined }, faults: { [endpoint]: fault } });
          const response = begun
            ? await callback(fresh, at, begun.answer, begun.cookie)
            : await fresh.get(`${at}/start`);
          // The ID token identifies the user: userinfo that is unavailable is missed, and nothing more.
          const isMissed =
            typeof fault === 'string'
              ? fault !== 'oversize'
              : 'status' in fault || ['', '{', '<html>'].includes(fault.body);
          if (endpoint === 'userinfo' && name !== 'other' && isMissed)
            expect([fault, response.status, response.location]).toEqual([fault, 302, '/']);
          else if (begun) expectRefused(response, [endpoint, fault]);
          else expect([fault, response.status, response.json.error]).toEqual([fault, 400, 'oauth_error']);
          expect(response.text).not.toContain('secret reason');
          expect(idp.requests.slice(before).filter(({ path }) => path === '/elsewhere')).toEqual([]);
          idp.override({});
        }
      }
    },
  );

  //
  it.each([...kinds, plain])(
    'rejects an otherwise valid provider response of two megabytes at %s',
    async (at, name) => {
      const site = await open();
      const padded = (padding: string): ResponseOverrides[] => [
        { tokens: { padding } },
        { claims: { email: undefined }, userInfo: { padding } },
      ];
      for (const overrides of padded('x'.repeat(1000))) {
        idps[name].override(overrides);
        expect((await signIn(site, at, name, personAt(name))).location).toBe('/');
      }
      for (const overrides of padded('x'.repeat(2 * 1024 * 1024))) {
        idps[name].override(overrides);
        expectRefused(await signIn(site, at, name, personAt(name)), Object.keys(overrides));
      }
    },
  );
});
