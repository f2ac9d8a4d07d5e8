// The client against the OpenAPI document: a method for every endpoint, with its path and its
// types.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openapiDocument } from 'svc-auth';
import { createClient, type AuthClient } from 'svc-auth/client';
import type { z } from 'zod';
import type { ResponseSchemas } from '../../src/http/response-schemas.js';
import { operationName, pathParameters } from '../../src/http/openapi/operation-name.js';
import { repository } from '../architecture/source-graph.js';
import { documentedRoutes } from '../support/documented-responses.js';

type Method = (...args: unknown[]) => unknown;

const requested: { method: string; url: string; body?: string }[] = [];
const client = createClient({
  baseUrl: '',
  fetch: async (url, { method, body }) => {
    requested.push({ method, url, ...(body !== undefined && { body }) });
    return { status: 200, ok: true, text: async () => '{}' };
  },
});

const endpoints = documentedRoutes.filter(({ response: schema }) => schema);
const methods = new Map(methodsOf(client));

/** Methods without a single endpoint: ceremonies of two requests, browser support, and the requests of the application. */
const further = [
  'requestHeaders',
  'mfa.passkey.authenticate',
  'passkeys.register',
  'passkeys.signup',
  'passkeys.authenticate',
  'passkeys.support',
  'passkeys.sync',
];

function methodsOf(group: object, prefix = ''): [name: string, method: Method][] {
  return Object.entries(group).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'function'
      ? [[prefix + name, value as Method] as [string, Method]]
      : methodsOf(value as object, `${prefix}${name}.`),
  );
}

describe('The methods of the client', () => {
  it('exist for every endpoint (add missing ones to src/client/methods.ts)', () => {
    const missing = endpoints.filter((route) => !methods.has(operationName(route)));
    expect(missing.map((route) => `${operationName(route)}: ${route.method} ${route.path}`)).toEqual([]);
  });

  it('has no method without an endpoint', () => {
    const expected = new Set([...endpoints.map(operationName), ...urls.map(([name]) => name), ...further]);
    expect([...methods.keys()].filter((name) => !expected.has(name))).toEqual([]);
  });

  it('are in docs/http-api.md, or in docs/client.md if they are not a route', () => {
    const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');
    const [routes, others] = [read('docs/http-api.md'), read('docs/client.md')];
    const undocumented = [...methods.keys()].filter(
      (name) =>
        !routes.includes(`(\`${name.replace(/^admin[.]/, '')}\`, `) && !others.includes(`\`client.${name}(`),
    );
    expect(undocumented).toEqual([]);
  });

  const present = endpoints.filter((route) => methods.has(operationName(route)));
  it.each(present.map((route) => [operationName(route), route] as const))(
    '%s requests its endpoint with the path parameters and then the body',
    async (name, route) => {
      requested.length = 0;
      const parameters = pathParameters(route.path);
      const ids = parameters.map((parameter) => `an ${parameter}`);
      await methods.get(name)!(...ids, ...(route.body ? [{ probe: 1 }] : []));
      const url = parameters.reduce(
        (path, parameter, at) => path.replace(`:${parameter}`, encodeURIComponent(ids[at]!)),
        route.path,
      );
      const body = route.body && '{"probe":1}';
      expect(requested).toEqual([{ method: route.method.toUpperCase(), url, ...(body && { body }) }]);
    },
  );

  // `/idp` is an alias of `/google`.
  const urls = documentedRoutes
    .filter(({ redirects, path }) => redirects === 'away' && !path.startsWith('/idp/'))
    .map((route) => [`${operationName(route)}Url`, route] as const);

  it.each(urls)('%s returns the URL of a route that redirects', (name, route) => {
    const ids = pathParameters(route.path).map(() => 'x');
    expect(methods.get(name)?.(...ids, 'a state')).toBe(
      `${route.path.replace(/:\w+/g, 'x')}?state=a%20state`,
    );
  });
});

describe('The times of responses', () => {
  // As `src/client/dates.ts` detects them: by name, except in data of the application or a third
  // party.
  const foreign = ['metadata', 'claims', 'contributions', 'options'];
  const document = openapiDocument();

  interface Schema {
    format?: string;
    properties?: Record<string, Schema>;
    items?: Schema;
    anyOf?: Schema[];
    allOf?: Schema[];
  }

  function timesOf(schema: Schema, name = ''): [name: string, isTime: boolean][] {
    const { format, properties = {}, items, anyOf = [], allOf = [] } = schema;
    const inner = [...anyOf, ...allOf, ...(items ? [items] : [])].flatMap((each) => timesOf(each, name));
    const fields = Object.entries(properties)
      .filter(([field]) => !foreign.includes(field))
      .flatMap(([field, each]) => timesOf(each, field));
    return [
      ...inner,
      ...fields,
      ...(name === '' ? [] : [[name, format === 'date-time'] as [string, boolean]]),
    ];
  }

  it('contains times exactly in the fields whose names end with `At`, and in those of a block, in every schema', () => {
    const responses = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ responses }) => responses[200] as { content?: Record<string, { schema: Schema }> } | undefined)
      .flatMap((response) => {
        const json = response?.content?.['application/json'];
        return json ? [json.schema] : [];
      });
    const schemas = [...responses, ...Object.values(document.components.schemas)];
    const fields = schemas.flatMap((schema) => timesOf(schema));
    expect(fields.filter(([, isTime]) => isTime).length).toBeGreaterThan(5);
    const times = new Set(fields.filter(([, isTime]) => isTime).map(([name]) => name));
    expect([...times].filter((name) => !name.endsWith('At')).sort()).toEqual(['at', 'until']);
    const isNamedAsTime = (name: string) => /At$|^(?:at|until)$/.test(name);
    expect(fields.map(([name]) => name).filter((name) => isNamedAsTime(name) && !times.has(name))).toEqual(
      [],
    );
  });
});

/** A type as JSON transports it. */
type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Each)[]
    ? Wire<Each>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T;

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Resolved<M extends (...args: never[]) => Promise<unknown>> = Wire<Awaited<ReturnType<M>>>;

/** Does not compile if the client’s type differs from that of the route’s response. */
function expectResponseType<
  M extends (...args: never[]) => Promise<unknown>,
  Name extends keyof ResponseSchemas,
>(
  ...differ: Same<Resolved<M>, z.infer<ReturnType<ResponseSchemas[Name]>>> extends true
    ? []
    : ['the types differ']
): void {
  expect(differ).toEqual([]);
}

describe('The types of the client', () => {
  it('equal those of the responses at compile time', () => {
    expectResponseType<AuthClient['logout'], 'ok'>();
    expectResponseType<AuthClient['emailCode']['send'], 'sent'>();
    expectResponseType<AuthClient['emailCode']['verify'], 'signIn'>();
    expectResponseType<AuthClient['magicLink']['send'], 'linkSent'>();
    expectResponseType<AuthClient['magicLink']['verifyCode'], 'signIn'>();
    expectResponseType<AuthClient['magicLink']['confirm'], 'signIn'>();
    expectResponseType<AuthClient['password']['signup'], 'signUp'>();
    expectResponseType<AuthClient['password']['resendSignup'], 'codeSent'>();
    expectResponseType<AuthClient['password']['finishSignup'], 'signIn'>();
    expectResponseType<AuthClient['password']['login'], 'user'>();
    expectResponseType<AuthClient['password']['requestReset'], 'resetRequested'>();
    expectResponseType<AuthClient['password']['reset'], 'user'>();
    expectResponseType<AuthClient['mfa']['methods'], 'pendingSignIn'>();
    expectResponseType<AuthClient['mfa']['verify'], 'secondStep'>();
    expectResponseType<AuthClient['mfa']['email']['send'], 'sent'>();
    expectResponseType<AuthClient['mfa']['email']['verify'], 'user'>();
    expectResponseType<AuthClient['secondFactor']['state'], 'secondFactor'>();
    expectResponseType<AuthClient['trustedBrowsers']['list'], 'trustedBrowsers'>();
    expectResponseType<AuthClient['totp']['state'], 'totp'>();
    expectResponseType<AuthClient['totp']['enroll'], 'enrollment'>();
    expectResponseType<AuthClient['totp']['confirm'], 'recoveryCodes'>();
    expectResponseType<AuthClient['totp']['recoveryCodes'], 'recoveryCodes'>();
    expectResponseType<AuthClient['totp']['disable'], 'ok'>();
    expectResponseType<AuthClient['totp']['apps'], 'totpApps'>();
    expectResponseType<AuthClient['totp']['addApp'], 'newTotpApp'>();
    expectResponseType<AuthClient['passkeys']['list'], 'passkeys'>();
    expectResponseType<AuthClient['passkeys']['remove'], 'ok'>();
    expectResponseType<AuthClient['passkeys']['register'], 'passkey'>();
    expectResponseType<AuthClient['passkeys']['signals'], 'passkeySignals'>();
    expectResponseType<AuthClient['account']['remove'], 'accountDeleted'>();
    expectResponseType<AuthClient['passkeys']['authenticate'], 'user'>();
    expectResponseType<AuthClient['passkeys']['registerStart'], 'ceremony'>();
    expectResponseType<AuthClient['devices']['list'], 'devices'>();
    expectResponseType<AuthClient['devices']['revoke'], 'ok'>();
    expectResponseType<AuthClient['google']['link'], 'redirectUrl'>();
    expectResponseType<AuthClient['oauth']['link'], 'redirectUrl'>();
    expectResponseType<AuthClient['identities']['list'], 'identities'>();
    expectResponseType<AuthClient['phone']['verify'], 'signIn'>();
    expectResponseType<AuthClient['token']['issue'], 'tokenPair'>();
    expectResponseType<AuthClient['guest']['create'], 'signIn'>();
    expectResponseType<AuthClient['apiKeys']['list'], 'apiKeys'>();
    expectResponseType<AuthClient['apiKeys']['create'], 'newApiKey'>();
    expectResponseType<AuthClient['orgs']['list'], 'orgs'>();
    expectResponseType<AuthClient['orgs']['get'], 'org'>();
    expectResponseType<AuthClient['orgs']['members']['list'], 'members'>();
    expectResponseType<AuthClient['orgs']['members']['update'], 'membership'>();
    expectResponseType<AuthClient['orgs']['invites']['create'], 'invite'>();
    expectResponseType<AuthClient['orgs']['invites']['list'], 'invites'>();
    expectResponseType<AuthClient['guest']['upgrade'], 'user'>();
    expectResponseType<AuthClient['account']['get'], 'account'>();
    expectResponseType<AuthClient['account']['sendVerification'], 'sentIfNeeded'>();
    expectResponseType<AuthClient['account']['changeEmail'], 'changeSent'>();
    expectResponseType<AuthClient['admin']['users']['list'], 'users'>();
    expectResponseType<AuthClient['admin']['users']['count'], 'userCount'>();
    expectResponseType<AuthClient['admin']['users']['update'], 'userRecord'>();
    expectResponseType<AuthClient['admin']['users']['invite'], 'invitedUser'>();
    // @ts-expect-error the types of device and passkey lists differ
    expectResponseType<AuthClient['devices']['list'], 'passkeys'>();
  });
});
