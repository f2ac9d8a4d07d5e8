// The OpenAPI document: what the routers mount, no more and no less, in a form that a validator of others accepts.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { createAuthRouter, createProRouter, openapiDocument } from 'svc-auth';
import type { OpenApiDocument, OpenApiOperation } from 'svc-auth';
import { generateOpenapi, openapiFile } from '../../scripts/generate-openapi.js';
import { describingTools } from '../../src/http/endpoint-tools.js';
import { statusOf } from '../../src/http/error-handler.js';
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
  it('is what `npm run docs:openapi` writes', () => {
    expect(readFileSync(openapiFile, 'utf8')).toBe(generateOpenapi());
  });
});

describe('The OpenAPI document', () => {
  it('is valid OpenAPI 3.1, as an independent validator judges', async () => {
    const validator = new Validator();
    const result = await validator.validate(document as unknown as Record<string, unknown>);
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('is judged by a validator that notices a fault', async () => {
    const broken = { ...document, paths: { '/session': { get: { responses: { 200: {} } } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('has every route that the routers mount, and no other', async () => {
    const { service } = await makeService();
    const mounted = [createAuthRouter(service), createProRouter(service)].flatMap((router) =>
      (router.stack as unknown as Layer[]).flatMap(({ route }) =>
        route ? pathsOf(route).flatMap((path) => Object.keys(route.methods).map((m) => `${m} ${path}`)) : [],
      ),
    );
    const described = operations.map(({ method, path }) => `${method} ${path}`);
    expect(described.sort()).toEqual(mounted.map((each) => each.replace(/:(\w+)/g, '{$1}')).sort());
  });

  it('refers to nothing that is not there', () => {
    const text = JSON.stringify(document);
    const referred = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w.]+)"/g)];
    expect(referred.length).toBeGreaterThan(50);
    expect(text.match(/"\$ref":/g)).toHaveLength(referred.length);
    const missing = referred.filter(
      ([, kind, name]) => !document.components[kind as keyof typeof document.components]?.[name!],
    );
    expect(missing.map(([reference]) => reference)).toEqual([]);
  });

  it('names every operation once, by words that a client can have as a method', () => {
    const names = operations
      .filter(({ method }) => method !== 'head')
      .map(({ operation }) => operation.operationId);
    expect(names.filter((name) => !/^[a-z]\w*(\.[a-z]\w*)*$/i.test(name ?? ''))).toEqual([]);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    // A method cannot be a group as well.
    expect(names.filter((name) => names.some((other) => other?.startsWith(`${name}.`)))).toEqual([]);
  });

  it('says that a route needs a session, and by which cookie', () => {
    expect(find('get', '/devices').security).toEqual([{ session: [] }, { bearer: [] }]);
    expect(find('post', '/logout').security).toBeUndefined();
    const named = openapiDocument({ cookieName: '__Host-id' });
    expect(named.components.securitySchemes['session']).toMatchObject({ in: 'cookie', name: '__Host-id' });
  });

  it('tells the codes of a route under their status, with the texts', () => {
    const { responses } = find('post', '/password/login');
    expect(responses[401]).toEqual({ $ref: '#/components/responses/invalid_credentials.token_invalid' });
    expect(responses[403]).toEqual({ $ref: '#/components/responses/not_authorized.mfa_required' });
    const tooMany = document.components.responses['rate_limit_exceeded'];
    expect(tooMany).toMatchObject({ headers: { 'Retry-After': expect.anything() } });
    for (const [code, { value }] of Object.entries(document.components.examples)) {
      expect(value).toMatchObject({ error: code, message: expect.any(String) });
      expect(Object.keys(statusOf)).toContain(code);
    }
  });

  it('lists the 204 of a prefetch for every route that a GET is redirected from', () => {
    const redirecting = operations.filter(({ operation }) => '302' in operation.responses);
    expect(redirecting.map(({ path }) => path)).toContain('/magic-link/verify');
    for (const { operation } of redirecting) expect(operation.responses).toHaveProperty('204');
  });

  it('lists no mfa_required for /password/signup, which never answers it', () => {
    const { responses } = find('post', '/password/signup');
    expect(responses[403]).toEqual({ $ref: '#/components/responses/not_authorized.reauth_required' });
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

  it('notes which answers set a cookie', () => {
    expect(find('post', '/email-code/verify').responses[200]).toHaveProperty('headers.Set-Cookie');
    expect(find('post', '/email-code/send').responses[200]).not.toHaveProperty('headers');
  });

  it('takes base path, title, version and the Pro tier from who asks', () => {
    const other = openapiDocument({ basePath: 'https://id.test/a', title: 'Acme', version: '7', pro: false });
    expect(other.info).toEqual({ title: 'Acme', version: '7' });
    expect(other.servers).toEqual([{ url: 'https://id.test/a' }]);
    expect(Object.keys(other.paths)).toContain('/session');
    expect(Object.keys(other.paths)).not.toContain('/devices');
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
  ] as const)('of %s %s is %s where the route does not say', (method, path, expected) => {
    expect(operationName({ method, path })).toBe(expected);
    expect(operationName({ method, path, name: 'a.b' })).toBe('a.b');
  });
});

describe('Who describes the endpoints', () => {
  it('cannot ask the service for anything', () => {
    expect(() => describingTools().service.emailCode).toThrow('before it was called');
  });
});

/** As much of Express as tells what is mounted; 4 and 5 have it alike. */
interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
}

function pathsOf({ path }: NonNullable<Layer['route']>): string[] {
  return [path].flat();
}
