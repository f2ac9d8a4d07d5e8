// The client against the OpenAPI document: a method for every endpoint, to the right place, with the right types.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openapiDocument } from 'svc-auth';
import { createClient, type AuthClient } from 'svc-auth/client';
import type { z } from 'zod';
import type { AnswerSchemas } from '../../src/http/answer-schemas.js';
import { operationName, pathParameters } from '../../src/http/openapi/operation-name.js';
import { repository } from '../architecture/source-graph.js';
import { describedRoutes } from '../support/described-answers.js';

type Method = (...args: unknown[]) => unknown;

const requested: { method: string; url: string; body?: string }[] = [];
const client = createClient({
  baseUrl: '',
  fetch: async (url, { method, body }) => {
    requested.push({ method, url, ...(body !== undefined && { body }) });
    return { status: 200, ok: true, text: async () => '{}' };
  },
});

const endpoints = describedRoutes.filter(({ answer }) => answer);
const methods = new Map(methodsOf(client));

/** Methods that are no endpoint: ceremonies of two requests, and questions to the browser. */
const further = ['passkeys.register', 'passkeys.authenticate', 'passkeys.support'];

function methodsOf(group: object, prefix = ''): [name: string, method: Method][] {
  return Object.entries(group).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'function'
      ? [[prefix + name, value as Method] as [string, Method]]
      : methodsOf(value as object, `${prefix}${name}.`),
  );
}

describe('The methods of the client', () => {
  it('are there for every endpoint: add those that are missing to src/client/methods.ts', () => {
    const missing = endpoints.filter((route) => !methods.has(operationName(route)));
    expect(missing.map((route) => `${operationName(route)}: ${route.method} ${route.path}`)).toEqual([]);
  });

  it('are no others', () => {
    const known = new Set([...endpoints.map(operationName), ...urls.map(([name]) => name), ...further]);
    expect([...methods.keys()].filter((name) => !known.has(name))).toEqual([]);
  });

  it('have a row in docs/client.md', () => {
    const page = readFileSync(path.join(repository, 'docs/client.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `client.'));
    const undocumented = [...methods.keys()].filter(
      (name) => !rows.some((row) => row.includes(`\`client.${name}(`)),
    );
    expect(undocumented).toEqual([]);
  });

  const present = endpoints.filter((route) => methods.has(operationName(route)));
  it.each(present.map((route) => [operationName(route), route] as const))(
    '%s requests its endpoint, with the parameters of the path and then the body',
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

  // `/idp` is `/google` by another name.
  const urls = describedRoutes
    .filter(({ redirects, path }) => redirects === 'away' && !path.startsWith('/idp/'))
    .map((route) => [`${operationName(route)}Url`, route] as const);

  it.each(urls)('%s makes the address of a route that redirects', (name, route) => {
    const ids = pathParameters(route.path).map(() => 'x');
    expect(methods.get(name)?.(...ids, 'a state')).toBe(
      `${route.path.replace(/:\w+/g, 'x')}?state=a%20state`,
    );
  });
});

describe('The times of answers', () => {
  // As `src/client/dates.ts` finds them: by their names, but not in what the application or another party wrote.
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

  it('are the fields whose names end with `At`, in every schema', () => {
    const answers = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ responses }) => responses[200] as { content?: Record<string, { schema: Schema }> } | undefined)
      .flatMap((response) => (response?.content ? [response.content['application/json']!.schema] : []));
    const schemas = [...answers, ...Object.values(document.components.schemas)];
    const fields = schemas.flatMap((schema) => timesOf(schema));
    expect(fields.filter(([, isTime]) => isTime).length).toBeGreaterThan(5);
    const times = new Set(fields.filter(([, isTime]) => isTime).map(([name]) => name));
    expect([...times].filter((name) => !name.endsWith('At'))).toEqual([]);
    expect(fields.map(([name]) => name).filter((name) => name.endsWith('At') && !times.has(name))).toEqual(
      [],
    );
  });
});

/** A type as JSON carries it. */
type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Each)[]
    ? Wire<Each>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T;

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Resolved<M extends (...args: never[]) => Promise<unknown>> = Wire<Awaited<ReturnType<M>>>;

/** Does not compile where the client’s type is another than that of the route’s answer. */
function answers<M extends (...args: never[]) => Promise<unknown>, Name extends keyof AnswerSchemas>(
  ...differ: Same<Resolved<M>, z.infer<AnswerSchemas[Name]>> extends true ? [] : ['the types differ']
): void {
  expect(differ).toEqual([]);
}

describe('The types of the client', () => {
  it('are those of the answers, as the compiler sees it', () => {
    answers<AuthClient['logout'], 'ok'>();
    answers<AuthClient['emailCode']['send'], 'sent'>();
    answers<AuthClient['emailCode']['verify'], 'signIn'>();
    answers<AuthClient['magicLink']['send'], 'sent'>();
    answers<AuthClient['password']['signup'], 'user'>();
    answers<AuthClient['password']['login'], 'user'>();
    answers<AuthClient['password']['requestReset'], 'resetRequested'>();
    answers<AuthClient['password']['reset'], 'user'>();
    answers<AuthClient['mfa']['verify'], 'user'>();
    answers<AuthClient['totp']['state'], 'totp'>();
    answers<AuthClient['totp']['enroll'], 'enrollment'>();
    answers<AuthClient['totp']['confirm'], 'recoveryCodes'>();
    answers<AuthClient['totp']['recoveryCodes'], 'recoveryCodes'>();
    answers<AuthClient['totp']['disable'], 'ok'>();
    answers<AuthClient['passkeys']['list'], 'passkeys'>();
    answers<AuthClient['passkeys']['remove'], 'ok'>();
    answers<AuthClient['passkeys']['register'], 'passkey'>();
    answers<AuthClient['passkeys']['authenticate'], 'user'>();
    answers<AuthClient['passkeys']['registerStart'], 'ceremony'>();
    answers<AuthClient['devices']['list'], 'devices'>();
    answers<AuthClient['devices']['revoke'], 'ok'>();
    answers<AuthClient['google']['link'], 'redirectUrl'>();
    answers<AuthClient['oauth']['link'], 'redirectUrl'>();
    answers<AuthClient['identities']['list'], 'identities'>();
    answers<AuthClient['phone']['verify'], 'signIn'>();
    answers<AuthClient['token']['issue'], 'tokenPair'>();
    answers<AuthClient['guest']['create'], 'signIn'>();
    answers<AuthClient['apiKeys']['list'], 'apiKeys'>();
    answers<AuthClient['apiKeys']['create'], 'newApiKey'>();
    answers<AuthClient['orgs']['list'], 'orgs'>();
    answers<AuthClient['orgs']['get'], 'org'>();
    answers<AuthClient['orgs']['members']['list'], 'members'>();
    answers<AuthClient['orgs']['members']['update'], 'membership'>();
    answers<AuthClient['orgs']['invites']['create'], 'invite'>();
    answers<AuthClient['orgs']['invites']['list'], 'invites'>();
    answers<AuthClient['guest']['upgrade'], 'user'>();
    answers<AuthClient['account']['get'], 'account'>();
    answers<AuthClient['account']['sendVerification'], 'sentIfNeeded'>();
    answers<AuthClient['account']['changeEmail'], 'changeSent'>();
    // @ts-expect-error a list of devices is no list of passkeys
    answers<AuthClient['devices']['list'], 'passkeys'>();
  });
});
