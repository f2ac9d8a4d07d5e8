// Identifiers that providers and applications give (docs/security-requirements.md A-105).
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MapProfile } from 'svc-auth';
import { parseExactJson } from '../../src/domain/exact-json.js';
import { externalIdOf } from '../../src/domain/external-id.js';
import { license } from '../support/make-pro-service.js';
import { makeService } from '../support/make-service.js';
import { startOpenIdStub } from '../support/openid-stub.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

const redirectUri = 'https://app.test/api/auth/oauth/forum/callback';
let server: Server;
let origin: string;
/** The body of the next userinfo response. */
let userInfo: string;

beforeAll(async () => {
  server = createServer((request: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
    const isToken = request.url === '/token';
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(isToken ? '{"access_token":"access","token_type":"bearer"}' : userInfo);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** The example of docs/providers/oauth.md before this requirement: `String` of a field. */
const byString: MapProfile = (raw) => ({ id: String(raw['member_number']) });
/** The example of docs/providers/oauth.md. */
const asDocumented: MapProfile = (raw) => ({ id: raw['member_number'] as number });

async function forum(mapProfile?: MapProfile) {
  const test = await makeService({
    ...license,
    providers: {
      oauth: {
        forum: {
          clientId: 'acme',
          clientSecret: 'the secret of the client',
          redirectUri,
          authorizationEndpoint: `${origin}/auth`,
          tokenEndpoint: `${origin}/token`,
          userInfoEndpoint: `${origin}/me`,
          ...(mapProfile && { mapProfile }),
        },
      },
    },
  });
  return (body: string) => {
    userInfo = body;
    return test.service.oauth('forum').handleCallback({ code: 'code' });
  };
}

const nothing = [
  '{}',
  '{"member_number":null}',
  '{"member_number":{"value":1}}',
  '{"member_number":[]}',
  '{"member_number":""}',
  '{"member_number":" "}',
  '{"member_number":true}',
  '{"member_number":"undefined"}',
  '{"member_number":"NULL"}',
  '{"member_number":"NaN"}',
];

describe.each([
  ['String()', byString],
  ['the documented mapProfile', asDocumented],
])('A member number mapped by %s', (_how, mapProfile) => {
  it.each(nothing)('is refused with oauth_error if the profile is %s', async (body) => {
    const signIn = await forum(mapProfile);
    expect(await errorOf(() => signIn(body))).toMatchObject({
      code: 'oauth_error',
      reason: 'provider_error',
    });
  });

  it('is a different user for every integer, however large', async () => {
    const signIn = await forum(mapProfile);
    const numbers = ['1', '9007199254740991', '9007199254740992', '9007199254740993', '12345678901234567890'];
    const ids = [];
    for (const number of numbers) ids.push((await signIn(`{"member_number":${number}}`)).profile.id);
    expect(ids).toEqual(numbers);
  });
});

describe('The subject of a provider without an issuer', () => {
  it.each(['sub', 'id'])('keeps the digits of a large integer in %s', async (name) => {
    const signIn = await forum();
    const users = [];
    for (const id of ['9007199254740992', '9007199254740993']) users.push(await signIn(`{"${name}":${id}}`));
    expect(users.map(({ profile }) => profile.id)).toEqual(['9007199254740992', '9007199254740993']);
    expect(users[0]?.user.id).not.toBe(users[1]?.user.id);
  });

  it.each(['{"sub":"undefined"}', '{"id":"null"}', '{"sub":"[object Object]"}', '{"id":false}'])(
    'is refused if the profile is %s',
    async (body) => {
      const signIn = await forum();
      expect(await outcomeOf(() => signIn(body))).toBe('oauth_error');
    },
  );
});

describe('The subject of an ID token', () => {
  it('is refused if it is a placeholder, and another claim keeps the digits of a large integer', async () => {
    const stub = await startOpenIdStub(redirectUri);
    try {
      const mapProfile: MapProfile = (raw) => ({ id: raw['employee'] as string });
      const test = await makeService({
        ...license,
        providers: { oauth: { staff: stub.client, mapped: { ...stub.client, mapProfile } } },
      });
      const handleCallback = (name: string) => test.service.oauth(name).handleCallback({ code: 'code' });
      stub.claims = { sub: 'undefined' };
      expect(await outcomeOf(() => handleCallback('staff'))).toBe('oauth_error');
      stub.claims = { employee: 9007199254740993n };
      expect((await handleCallback('mapped')).profile.id).toBe('9007199254740993');
    } finally {
      await stub.close();
    }
  });
});

describe('Identifiers of the application', () => {
  const placeholders = ['undefined', 'null', 'NaN', '[object Object]', 'true', 'tenant:undefined', '-'];

  it.each(placeholders)('cannot upgrade a guest with the account %s', async (providerAccountId) => {
    const test = await makeService({ ...license, providers: { sessions: {} } });
    const { user } = await test.service.sessionsProvider.createGuest();
    const upgrade = () =>
      test.service.sessionsProvider.upgrade({ userId: user.id, provider: 'acme', providerAccountId });
    expect(await outcomeOf(upgrade)).toBe('invalid_request');
  });

  it.each(['undefined', 'null', 'nan', 'true'])('cannot be the role or the user name %s', async (name) => {
    const test = await makeService({ usernames: { enabled: true } });
    const create = (input: object) => () => test.service.users.create({ email: 'ada@example.com', ...input });
    expect(await outcomeOf(create({ roles: [name] }))).toBe('invalid_request');
    expect(await outcomeOf(create({ username: name }))).toBe('invalid_request');
    const user = await create({})();
    expect(await outcomeOf(() => test.service.users.update(user.id, { roles: [name] }))).toBe(
      'invalid_request',
    );
    expect(await outcomeOf(() => test.service.users.update(user.id, { username: name }))).toBe(
      'invalid_request',
    );
  });
});

describe('An external identifier', () => {
  it.each([
    ...[
      '1',
      '0',
      'ada',
      'a-null-b',
      'x_NaN_y',
      'auth0|5f7c8ec7c33c6c004bbafe82',
      'nullable',
      'nanny',
      'a true b',
    ],
    ...['AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ', 'https://idp.test/users/1'],
  ])('can be %s', (id) => {
    expect(externalIdOf(id)).toBe(id);
  });

  it.each([
    ...[
      '',
      ' ',
      '-',
      '::',
      'undefined',
      'UNDEFINED',
      'undefined-undefined',
      'a-undefined',
      'a:null',
      'null|b',
      'a-null',
      'acme_NaN',
      'null/a',
      'member' + 'undefined',
      '1.2345678901234568e+21',
    ],
    ...[
      'NaN',
      'Infinity',
      '-Infinity',
      'false',
      '[object Object]',
      'a[object Map]',
      'null-null',
      'ä',
      'x'.repeat(256),
    ],
    ...[undefined, null, true, {}, [], ['a'], NaN, 1.5, Infinity, 2 ** 53, Symbol('a'), () => 'a'],
  ])('cannot be %p', (id) => {
    expect(externalIdOf(id)).toBeNull();
  });

  it('can be an integer', () => {
    expect([7, -1, 0, 2n ** 64n].map(externalIdOf)).toEqual(['7', '-1', '0', '18446744073709551616']);
  });
});

describe('JSON of a provider', () => {
  it.each([
    ['{"a":9007199254740993,"b":[-9007199254740993]}', { a: '9007199254740993', b: ['-9007199254740993'] }],
    ['{"a":9007199254740991,"b":1.25,"c":1e3}', { a: 9007199254740991, b: 1.25, c: 1000 }],
    ['{"a":1.2345678901234567891e19}', { a: '1.2345678901234567891e19' }],
    ['{"a":1234567890.12345678901}', { a: 1234567890.1234567 }],
    [
      '{"12345678901234567890":"\\"12345678901234567890\\\\"}',
      { '12345678901234567890': '"12345678901234567890\\' },
    ],
    ['12345678901234567890', '12345678901234567890'],
  ])('%s keeps the digits of its integers', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  it('is refused if it is malformed', () => {
    for (const text of [
      '',
      '{',
      '{12345678901234567890:1}',
      '1 12345678901234567890',
      '01234567890123456789',
    ])
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});
