// The OpenAPI document: exactly the routes that the routers mount, valid according to an independent validator.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { createAdminRouter, createAuthRouter, createProRouter, openapiDocument } from 'svc-auth';
import type { OpenApiDocument, OpenApiOperation } from 'svc-auth';
import { generateOpenapi, openapiFile } from '../../scripts/generate-openapi.js';
import { errorCodes } from '../../src/errors/service-error.js';
import { operationName } from '../../src/http/openapi/operation-name.js';
import { makeService } from '../support/make-service.js';

interface Listed {
  method: string;
  path: string;
  operation: OpenApiOperation;
}

const operationsOf = (document: OpenApiDocument): Listed[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );

const document = openapiDocument();
const operations = operationsOf(document);
const find = (method: string, path: string) =>
  operations.find((each) => each.method === method && each.path === path)!.operation;

describe('docs/openapi.json', () => {
  it('is up to date with `npm run docs -- openapi`', () => {
    expect(readFileSync(openapiFile, 'utf8')).toBe(generateOpenapi());
  });
});

describe('The OpenAPI document', () => {
  it('is valid OpenAPI 3.1 according to an independent validator', async () => {
    const validator = new Validator();
    const result = await validator.validate(document as unknown as Record<string, unknown>);
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('is checked by a validator that finds a fault', async () => {
    const broken = { ...document, paths: { '/session': { get: { responses: { 200: {} } } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('contains exactly the routes that the routers mount', async () => {
    const { service } = await makeService();
    const mounted = [
      createAuthRouter(service),
      createProRouter(service),
      createAdminRouter(service, { authorize: () => true }),
    ].flatMap((router) =>
      (router.stack as unknown as Layer[]).flatMap(({ route }) =>
        route ? pathsOf(route).flatMap((path) => Object.keys(route.methods).map((m) => `${m} ${path}`)) : [],
      ),
    );
    const described = operations.map(({ method, path }) => `${method} ${path}`);
    expect(described.sort()).toEqual(mounted.map((each) => each.replace(/:(\w+)/g, '{$1}')).sort());
  });

  it('contains no dangling references', () => {
    const text = JSON.stringify(document);
    const referred = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w.]+)"/g)];
    expect(referred.length).toBeGreaterThan(50);
    expect(text.match(/"\$ref":/g)).toHaveLength(referred.length);
    const missing = referred.filter(
      ([, kind, name]) => !document.components[kind as keyof typeof document.components]?.[name!],
    );
    expect(missing.map(([reference]) => reference)).toEqual([]);
  });

  it('gives every operation a unique id that is a valid method name', () => {
    const names = operations
      .filter(({ method }) => method !== 'head')
      .map(({ operation }) => operation.operationId);
    expect(names.filter((name) => !/^[a-z]\w*(\.[a-z]\w*)*$/i.test(name ?? ''))).toEqual([]);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    // A method cannot also be a group.
    expect(names.filter((name) => names.some((other) => other?.startsWith(`${name}.`)))).toEqual([]);
  });

  it('lists the session requirement of a route and the name of the cookie', () => {
    expect(find('get', '/devices').security).toEqual([{ session: [] }, { bearer: [] }]);
    expect(find('post', '/logout').security).toBeUndefined();
    const named = openapiDocument({ cookieName: '__Host-id' });
    expect(named.components.securitySchemes['session']).toMatchObject({ in: 'cookie', name: '__Host-id' });
  });

  it('lists the error codes of a route under their status, with their messages', () => {
    const { responses } = find('post', '/password/login');
    const unauthorized = [
      'code_invalid',
      'code_expired',
      'code_not_found',
      'max_attempts_exceeded',
      'invalid_credentials',
      'token_invalid',
    ];
    expect(responses[401]).toEqual({ $ref: `#/components/responses/${unauthorized.join('.')}` });
    expect(responses[403]).toEqual({
      $ref: '#/components/responses/not_authorized.mfa_required.user_blocked',
    });
    const tooMany = document.components.responses['rate_limit_exceeded'];
    expect(tooMany).toMatchObject({ headers: { 'Retry-After': expect.anything() } });
    for (const [code, { value }] of Object.entries(document.components.examples)) {
      expect(value).toMatchObject({ error: code, message: expect.any(String) });
      expect(Object.keys(errorCodes)).toContain(code);
    }
  });

  it('lists the 204 of a prefetch for every GET route that redirects', () => {
    const redirecting = operations.filter(({ operation }) => '302' in operation.responses);
    expect(redirecting.map(({ path }) => path)).toContain('/magic-link/verify');
    for (const { operation } of redirecting) expect(operation.responses).toHaveProperty('204');
  });

  it('lists no mfa_required for /password/signup, which never returns it', () => {
    const { responses } = find('post', '/password/signup');
    expect(responses[403]).toEqual({
      $ref: '#/components/responses/not_authorized.reauth_required.sign_up_disabled.challenge_required',
    });
  });

  it('lists the svc-user header and its 409 for every operation of a signed-in user that is not a GET', () => {
    const shown = expect.objectContaining({ name: 'svc-user', in: 'header', required: false });
    const signedIn = operations.filter(({ operation }) => operation.security);
    expect(signedIn.length).toBeGreaterThan(30);
    for (const { method, operation } of signedIn) {
      const refusesAnother = JSON.stringify(operation.responses[409] ?? '').includes('session_changed');
      expect(refusesAnother).toBe(method !== 'get');
      if (refusesAnother) expect(operation.parameters).toEqual(expect.arrayContaining([shown]));
    }
  });

  it('lists the svc-user header and its 409 for /password/signup, which may act for a signed-in user', () => {
    const { parameters, responses } = find('post', '/password/signup');
    expect(parameters).toEqual([
      expect.objectContaining({ name: 'svc-user', in: 'header', required: false }),
    ]);
    expect(JSON.stringify(responses[409])).toContain('session_changed');
  });

  it('lists Set-Cookie for the responses that set a cookie', () => {
    expect(find('post', '/email-code/verify').responses[200]).toHaveProperty('headers.Set-Cookie');
    expect(find('post', '/email-code/send').responses[200]).not.toHaveProperty('headers');
  });

  it('takes base path, title, version and the Pro tier from the options', () => {
    const other = openapiDocument({ basePath: 'https://id.test/a', title: 'Acme', version: '7', pro: false });
    expect(other.info).toEqual({ title: 'Acme', version: '7' });
    expect(other.servers).toEqual([{ url: 'https://id.test/a' }]);
    expect(Object.keys(other.paths)).toContain('/session');
    expect(Object.keys(other.paths)).not.toContain('/devices');
    expect(Object.keys(other.paths)).toContain('/admin/users');
    expect(Object.keys(openapiDocument({ admin: false }).paths)).not.toContain('/admin/users');
    expect(JSON.stringify(other)).not.toContain('license_required');
  });

  it('is a new object each time', () => {
    openapiDocument().info.title = 'changed';
    expect(openapiDocument().info.title).toBe('svc-auth');
  });
});

describe('The name of an operation', () => {
  it.each([
    ['get', '/api-keys', 'apiKeys.list'],
    ['post', '/api-keys', 'apiKeys.create'],
    ['delete', '/api-keys/:id', 'apiKeys.remove'],
    ['get', '/orgs/:id', 'orgs.get'],
    ['get', '/orgs/:id/members', 'orgs.members.list'],
    ['put', '/orgs/:id/members/:userId', 'orgs.members.update'],
    ['get', '/orgs/:id/invites', 'orgs.invites.list'],
    ['post', '/orgs/:id/invites', 'orgs.invites.create'],
    ['delete', '/orgs/:id/invites/:inviteId', 'orgs.invites.remove'],
    ['post', '/orgs/invites/accept', 'orgs.invites.accept'],
    ['post', '/token/refresh', 'token.refresh'],
    ['get', '/account', 'account.get'],
    ['get', '/account/export', 'account.export'],
  ] as const)('for %s %s is %s unless the route sets a name', (method, path, expected) => {
    expect(operationName({ method, path })).toBe(expected);
    expect(operationName({ method, path, name: 'a.b' })).toBe('a.b');
  });
});

/** The part of an Express router that lists its routes, the same in Express 4 and 5. */
interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
}

function pathsOf({ path }: NonNullable<Layer['route']>): string[] {
  return [path].flat();
}
