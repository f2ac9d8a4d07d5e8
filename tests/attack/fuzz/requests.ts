/**
 * Requests to every route of both routers, as the product describes them: valid by the schema of the route, nearly valid, and
 * garbage. Values that exist only during the storm (codes, ids, tokens) are references, resolved when the request is sent.
 */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { toJSONSchema, type ZodType } from 'zod';
import { documentedRoutes } from '../../support/documented-responses.js';
import { anyJson, anyMutation, anyText, type Mutation } from './arbitraries.js';
import { callers, encoded, Known, ownCookies, type DrawnRequest } from './drawn.js';

const changes = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Mutation[]>([]) },
  { weight: 1, arbitrary: fc.array(anyMutation, { minLength: 1, maxLength: 2 }) },
);
const known = (name: string) =>
  fc
    .tuple(fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(20)), changes)
    .map(([nth, changed]) => new Known(name, nth, changed));

const password = fc.constantFrom('correct horse battery', 'battery staple');

/** Plausible values for a field with this name. */
const fields: Record<string, fc.Arbitrary<unknown>> = {
  email: fc.oneof(
    known('email'),
    fc.nat(50).map((n) => `stranger-${n}@example.com`),
  ),
  ...{ password, currentPassword: password, newPassword: password },
  ...{ code: known('code'), currentCode: known('code') },
  phone: fc.nat(40).map((n) => `+1415555${2000 + n}`),
  name: fc.string({ minLength: 1, maxLength: 20 }),
  scopes: fc.array(fc.constantFrom('read', 'write'), { maxLength: 3 }),
  expiresAt: fc.oneof(fc.constantFrom('2199-01-01T00:00:00Z', '9999-12-31T23:59:59+23:59'), anyText),
  slug: fc.oneof(known('slug'), fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8})?$/)),
};

const fieldValue = (name: string) =>
  fc.oneof({ weight: 12, arbitrary: fields[name] ?? known(name) }, { weight: 1, arbitrary: anyText });

interface Schema {
  type?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

/** A body that matches a schema; a part without a type is any value known by its name. */
function validBody(
  { enum: options, anyOf, properties, required = [] }: Schema,
  name = '',
): fc.Arbitrary<unknown> {
  if (options) return fc.constantFrom(...options);
  if (anyOf) return fc.oneof(...anyOf.map((each) => validBody(each, name)));
  if (!properties || name === 'response') return fieldValue(name);
  const parts = Object.entries(properties).map(([key, part]) => [key, validBody(part, key)] as const);
  return fc.record(Object.fromEntries(parts), { requiredKeys: required });
}

const schemaOf = (body: ZodType) => toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema;

/** A valid body in which one field is replaced or added. */
const nearlyValid = (body: fc.Arbitrary<unknown>) =>
  fc
    .tuple(
      body,
      fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor', 'userId', 'emailVerified')),
      fc.nat(8),
      anyJson,
    )
    .map(([good, extra, at, odd]) => {
      const entries = Object.entries(good as object);
      const chosen = entries[at]?.[0] ?? extra;
      return Object.fromEntries([...entries.filter(([key]) => key !== chosen), [chosen, odd]]);
    });

const garbage: fc.Arbitrary<unknown> = fc.oneof(
  anyJson,
  anyText.map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom('{"a":', '[]', 'null', '"x"', '{"email":"a@b.co","email":"c@d.co"}', '\ufeff{}')
    .map((text) => Buffer.from(text)),
  fc.constantFrom('[', '{"a":').map((open) => Buffer.from(open.repeat(3_000))),
  fc.constantFrom(16_300, 20_000).map((length) => ({ email: 'a'.repeat(length) })),
  fc.constant(gzipSync(Buffer.from(JSON.stringify({ email: 'x'.repeat(1_000_000) })))),
);

const bodyOf = (schema: ZodType | undefined): fc.Arbitrary<unknown> => {
  if (!schema) return fc.option(garbage, { freq: 3, nil: undefined });
  const good = validBody(schemaOf(schema));
  return fc.oneof(
    { weight: 10, arbitrary: good },
    { weight: 2, arbitrary: nearlyValid(good) },
    { weight: 1, arbitrary: garbage },
  );
};

const segment = (name: string) =>
  fc.oneof(
    { weight: 5, arbitrary: name === 'name' ? fc.constant('acme') : known(name) },
    { weight: 1, arbitrary: anyText.map((text) => encoded(text)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%zz', '%00', '%ff', '%2e%2e', '%2F', 'acme', 'google', '*', ':id'),
    },
  );

/** The segments of a path such as `/orgs/:id/members/:userId`. */
const pathOf = (path: string) =>
  fc.tuple(
    ...path
      .split('/')
      .slice(1)
      .map((part, at, all) =>
        part.startsWith(':')
          ? segment(part === ':id' ? `${all[at - 1]}.id` : part.slice(1))
          : fc.constant(part),
      ),
  ) as fc.Arbitrary<unknown[]>;

const parameter = fc.constantFrom(
  'token',
  'state',
  'code',
  'error',
  'iss',
  'error_description',
  'redirectTo',
  '__proto__',
);
const pair = fc
  .tuple(parameter, fc.constantFrom('', '[]', '[a]', '[__proto__]'), anyText, fc.boolean())
  .map(
    ([name, suffix, value, isEncoded]) =>
      `${name}${suffix}=${isEncoded ? encoded(value) : value.slice(0, 500)}`,
  );

const queryOf = (path: string) => {
  const soup = fc.array<unknown>(
    fc.oneof(
      pair,
      anyText.map((text) => text.slice(0, 300)),
    ),
    { maxLength: 3 },
  );
  if (/callback|magic-link/.test(path)) {
    const good = known(path.includes('magic') ? 'linkQuery' : 'callbackQuery').map((each): unknown[] => [
      each,
    ]);
    return fc.oneof(
      { weight: 4, arbitrary: good },
      { weight: 2, arbitrary: fc.tuple(good, soup).map((all) => all.flat()) },
      soup,
    );
  }
  return fc.oneof({ weight: 4, arbitrary: fc.constant<unknown[]>([]) }, { weight: 1, arbitrary: soup });
};

const header = (values: readonly string[]) => fc.oneof(fc.constantFrom(...values), anyText);
const headers = fc.record(
  {
    'content-type': header([
      'application/json',
      'application/json; charset=utf-16',
      'APPLICATION/JSON;x=y',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
    ]),
    'content-encoding': header(['gzip', 'br', 'identity', 'gzip, gzip']),
    origin: header(['https://app.test', 'https://evil.test', 'null', 'https://app.test.evil.test']),
    'sec-fetch-site': header(['same-origin', 'cross-site', 'none', 'same-site']),
    'sec-purpose': header(['prefetch']),
    authorization: fc.oneof(
      fc.tuple(fc.constantFrom('Bearer ', 'bearer  ', 'Basic ', 'Bearer'), known('accessToken')),
      fc.tuple(fc.constant('Bearer '), known('key')),
      anyText,
    ),
    'user-agent': anyText,
    'x-forwarded-for': header(['203.0.113.9', '::1, x']),
    'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
    host: header(['evil.test', 'app.test:1', '[::1']),
    'accept-language': anyText,
  },
  { requiredKeys: [] },
);
const rarely = <T>(arbitrary: fc.Arbitrary<T>, otherwise: T) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary });

const cookieName = fc.constantFrom(...ownCookies, '__proto__', 'other');
const cookie = fc.oneof(
  fc.tuple(cookieName, known('svc_session')),
  fc.tuple(cookieName, known('svc_mfa')),
  fc.tuple(cookieName, known('svc_oauth')),
  fc.tuple(cookieName, anyText),
  anyText,
);

/** A request to one of the routes, occasionally with another method or a longer path. */
export const anyRequest: fc.Arbitrary<DrawnRequest> = fc.constantFrom(...documentedRoutes).chain((route) =>
  fc.record({
    method: fc.oneof(
      { weight: 15, arbitrary: fc.constant(route.method.toUpperCase()) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'),
      },
    ),
    path: fc.oneof(
      { weight: 15, arbitrary: pathOf(route.path) },
      {
        weight: 1,
        arbitrary: fc.tuple(pathOf(route.path), anyText).map(([path, more]) => [...path, more.slice(0, 200)]),
      },
    ),
    query: queryOf(route.path),
    headers: rarely<Record<string, unknown>>(headers, {}),
    cookies: rarely<[unknown, unknown]>(
      fc.tuple(fc.array(cookie, { maxLength: 2 }), fc.array(cookie, { maxLength: 2 })),
      [[], []],
    ),
    body: bodyOf(route.body?.()),
    caller: fc.constantFrom(...(route.access === 'open' ? callers : callers.slice(1)), 'fresh' as const),
  }),
);
