// The routes in the code of README and docs run on Express 4 and 5: they answer, and no input crashes them or shows a stack.
import { createRequire } from 'node:module';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express5, { type Express } from 'express';
import express4 from 'express4';
import * as library from 'svc-auth';
import * as pages from 'svc-auth/pages';
import { outbox, smsOutbox } from 'svc-auth/testing';
import * as z from 'zod';
import ts from 'typescript';
import { encryptionKey, everyProvider } from '../support/every-provider.js';
import { httpClient, type HttpResponse, type HttpRequest } from '../support/http-client.js';
import { listen } from '../support/http-site.js';
import { license, unknownId } from '../support/make-pro-service.js';
import { makeService, type TestService } from '../support/make-service.js';
import { excerptOf, readDocuments, type Fence } from './documents.js';

const load = createRequire(import.meta.url);

const isRouteCode = (fence: Fence) =>
  /^ts(\s|$)/.test(fence.info) &&
  excerptOf(fence) === undefined &&
  /\bapp\.(?:get|post|put|patch|delete|use)\(/.test(fence.code);
const fences = readDocuments()
  .flatMap(({ fences }) => fences)
  .filter(isRouteCode);
const named = fences.map((fence) => [`${fence.document}:${fence.line}`, fence] as const);

interface Route {
  method: string;
  path: string;
}

/** A fence that runs: its application listens, and its users are people of the test. */
interface Running {
  test: TestService;
  mail: ReturnType<typeof outbox>;
  texts: ReturnType<typeof smsOutbox>;
  routes: Route[];
  send: (sent: HttpRequest) => Promise<HttpResponse>;
  /** A user with a verified address and the `Cookie` header of a new session. */
  signIn: () => Promise<{ cookie: string; email: string; userId: string }>;
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const AsyncFunction = (async () => undefined).constructor as new (
  ...args: string[]
) => (...args: unknown[]) => Promise<void>;

async function run({ code }: Fence, makeApp: typeof express5): Promise<Running> {
  const [mail, sms] = [outbox(), smsOutbox()];
  const test = await makeService({
    ...license,
    mail,
    encryptionKey,
    // Those that docs/pages.md describes.
    signUp: { fields: z.object({ company: z.string().optional(), terms: z.boolean().optional() }) },
    // `mail` is the sender of the fences too.
    providers: { ...everyProvider({ mail, sms }, {}), apiKeys: { scopes: ['builds:read'] } },
  });
  let app: Express = makeApp();
  // A fence with an application of its own has it listen where we say.
  const create = Object.assign(() => {
    app = makeApp();
    app.listen = (() => ({ listening: true, close: () => undefined })) as never;
    return app;
  }, makeApp);
  const modules: Record<string, unknown> = {
    'svc-auth': library,
    'svc-auth/pages': pages,
    express: create,
    './auth.js': test,
  };
  const javaScript = ts.transpileModule(code, {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      esModuleInterop: true,
    },
  }).outputText;
  const surroundings: Record<string, unknown> = {
    require: (name: string) => modules[name] ?? load(name),
    exports: {},
    process: { env: { SESSION_SECRET: 'x'.repeat(32) }, once: () => undefined, exit: () => undefined },
    app,
    service: test.service,
    sender: mail,
    adapter: test.adapter,
  };
  // In a block, so that a fence can declare one of these names itself.
  await new AsyncFunction(...Object.keys(surroundings), `{ ${javaScript} }`)(...Object.values(surroundings));

  const routes = routesOf(app);
  const server: Server = await listen(makeApp().use(app));
  const client = httpClient((server.address() as AddressInfo).port);
  closing.push(
    () => client.close(),
    () => server.closeAllConnections(),
    () => server.close(),
    () => test.service.close(),
  );
  let people = 0;
  return {
    test,
    mail,
    texts: sms,
    routes,
    send: (sent) => client.send(sent),
    async signIn() {
      const email = `person-${(people += 1)}@example.com`;
      await test.service.emailCode.sendCode({ email });
      const signedIn = await test.service.emailCode.verify(
        { email, code: mail.lastCode(email)! },
        { startSession: true },
      );
      return { cookie: `svc_session=${signedIn.session!.token}`, email, userId: signedIn.user.id };
    },
  };
}

/** The part of Express that names the routes. The router of Express 4 is `_router`; its `router` throws. */
interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
}
interface Routers {
  router: { stack: Layer[] };
  _router?: { stack: Layer[] };
}

function routesOf(app: Express): Route[] {
  const routers = app as unknown as Routers;
  return (routers._router ?? routers.router).stack.flatMap(({ route }) =>
    route
      ? Object.keys(route.methods).map((method) => ({ method: method.toUpperCase(), path: route.path }))
      : [],
  );
}

const json = { 'Content-Type': 'application/json' };

/** What a client may send in place of what a route expects. */
function wrongInputs(code: string): [body: unknown, headers: Record<string, string>][] {
  const fields = [...code.matchAll(/const \{ ([\w, ]+) \} = req\.body/g)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  const wrong = [42, true, null, {}, [], 'x'.repeat(5000)].map((value) =>
    Object.fromEntries(fields.map((field) => [field, value])),
  );
  return [
    [undefined, {}],
    ['{', json],
    ['null', json],
    ['"x"', json],
    ['[]', json],
    ['{}', json],
    ['{}', { ...json, 'Content-Encoding': 'rot13' }],
    [JSON.stringify({ padding: 'x'.repeat(200_000) }), json],
    ['email=a', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['{}', { 'Content-Type': 'text/plain' }],
    ...wrong.map((body): [unknown, Record<string, string>] => [body, {}]),
  ];
}

function expectAnswered(what: unknown, answer: HttpResponse): void {
  const isJson = answer.status < 400 || typeof answer.json?.error === 'string';
  const showsStack = /node_modules|<pre>|\.(?:ts|js):\d+/.test(answer.text);
  const is500 = answer.status === 500;
  expect({ what, isJson, showsStack, is500 }).toEqual({
    what,
    isJson: true,
    showsStack: false,
    is500: false,
  });
}

it('finds the code with routes in the documents', () => {
  expect(named.length).toBeGreaterThan(15);
});

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
] as const)('On %s', (_version, makeApp) => {
  it.each(named)(
    'the routes of %s answer whatever is sent, without a crash or a stack',
    async (_name, fence) => {
      const { routes, send, signIn } = await run(fence, makeApp);
      for (const { method, path: pattern } of routes) {
        const path = pattern.replace(/:\w+/g, unknownId);
        const { cookie } = await signIn();
        for (const [body, headers] of wrongInputs(fence.code)) {
          for (const sent of [headers, { ...headers, Cookie: cookie }]) {
            const answer = await send({
              method,
              path,
              body: method === 'GET' ? undefined : body,
              headers: sent,
            });
            expectAnswered([method, path, body, sent], answer);
            const isMalformed = body === '{' && method !== 'GET' && fence.code.includes('express.json()');
            if (isMalformed) expect([answer.status, answer.json.error]).toEqual([400, 'invalid_request']);
          }
        }
        expectAnswered(
          method,
          await send({ method, path: `${path}?${'a=%zz&'.repeat(3)}`, headers: { Cookie: cookie } }),
        );
      }
    },
  );

  it.each(named)(
    'the routes of %s that change something refuse a page of another site',
    async (_name, fence) => {
      const { routes, send, signIn } = await run(fence, makeApp);
      for (const { method, path } of routes.filter(({ method }) => method !== 'GET')) {
        const { cookie } = await signIn();
        const headers = { Cookie: cookie, Origin: 'https://evil.test' };
        const answer = await send({ method, path: path.replace(/:\w+/g, unknownId), body: {}, headers });
        // A route for access tokens reads no cookie.
        if (answer.json?.error === 'invalid_token' && answer.status === 401) continue;
        expect([method, path, answer.status, answer.json?.error]).toEqual([
          method,
          path,
          403,
          'not_authorized',
        ]);
      }
    },
  );

  const fenceOf = (route: string) => {
    const fence = fences.find(({ code }) => code.includes(`'${route}'`));
    if (!fence) throw new Error(`no document has ${route}`);
    return fence;
  };
  const post = (path: string, body: unknown, cookie?: string) => ({
    method: 'POST',
    path,
    body,
    headers: cookie === undefined ? {} : { Cookie: cookie },
  });

  it('/app/login signs in with the cookie of the routes', async () => {
    const { send, test } = await run(fenceOf('/app/login'), makeApp);
    const person = { email: 'ada@example.com', password: 'correct horse' };
    const { user } = await test.service.emailPassword.signup(person);
    const answer = await send(post('/app/login', person));
    expect([answer.status, answer.json.user.id, answer.json.created]).toEqual([200, user.id, false]);
    expect(answer.cookies.map(({ name }) => name)).toEqual(['svc_session', 'svc_device']);
    expect((await send(post('/app/login', { ...person, password: 'wrong' }))).status).toBe(401);
  });

  it('/sign-in/text sends a code, and /sign-in/text/verify signs in', async () => {
    const { send, texts } = await run(fenceOf('/sign-in/text'), makeApp);
    const phone = '+14155552671';
    expect((await send(post('/sign-in/text', { phone }))).status).toBe(200);
    const answer = await send(post('/sign-in/text/verify', { phone, code: texts.lastCode(phone) }));
    expect([answer.status, answer.json.created, answer.cookies.length]).toEqual([200, true, 2]);
  });

  it('/app/token issues tokens, and /app/refresh renews them once', async () => {
    const { mail, send, test } = await run(fenceOf('/app/token'), makeApp);
    const email = 'ada@example.com';
    await test.service.emailCode.sendCode({ email });
    const issued = await send(post('/app/token', { email, code: mail.lastCode(email) }));
    expect(issued.status).toBe(200);
    const { refreshToken } = issued.json as { refreshToken: string };
    expect((await send(post('/app/refresh', { refreshToken }))).status).toBe(200);
    expect((await send(post('/app/refresh', { refreshToken: 'x' }))).json.error).toBe(
      'refresh_token_invalid',
    );
  });

  it('/settings/password, /devices, /orgs and /join do for a signed-in user what they say', async () => {
    const password = await run(fenceOf('/settings/password'), makeApp);
    const ada = await password.signIn();
    const changed = await password.send(
      post('/settings/password', { newPassword: 'correct horse' }, ada.cookie),
    );
    expect([changed.status, changed.json.user.id]).toEqual([200, ada.userId]);

    const devices = await run(fenceOf('/devices/:id'), makeApp);
    const { cookie } = await devices.signIn();
    const list = () => devices.send({ method: 'GET', path: '/devices', headers: { Cookie: cookie } });
    const [{ id }] = (await list()).json as [{ id: string }];
    const ended = await devices.send({
      method: 'DELETE',
      path: `/devices/${id}`,
      headers: { Cookie: cookie },
    });
    expect([ended.status, (await list()).status]).toEqual([204, 401]);

    const orgs = await run(fenceOf('/orgs/:id/invites'), makeApp);
    const owner = await orgs.signIn();
    const founded = await orgs.send(post('/orgs', { name: 'Acme' }, owner.cookie));
    const path = `/orgs/${founded.json.org.id as string}/invites`;
    expect((await orgs.send(post(path, { email: 'bob@example.com' }, owner.cookie))).json.email).toBe(
      'bob@example.com',
    );
    expect((await orgs.send(post('/join', { token: 'x' }, owner.cookie))).json.error).toBe('token_invalid');
  });

  it('/orgs, /orgs/:id/invites and /keys apply the limits of users and clients', async () => {
    const statuses = async (count: number, answerOf: (i: number) => Promise<HttpResponse>) => {
      const tally: Record<string, number> = {};
      for (let i = 0; i < count; i += 1) {
        const { status } = await answerOf(i);
        tally[status] = (tally[status] ?? 0) + 1;
      }
      return tally;
    };
    const keys = await run(
      fences.find(({ document }) => document === 'docs/providers/api-keys.md')!,
      makeApp,
    );
    const { cookie } = await keys.signIn();
    const newKey = () => keys.send(post('/keys', { name: 'CI' }, cookie));
    expect(await statuses(101, newKey)).toEqual({ 200: 100, 429: 1 });

    const orgs = await run(fenceOf('/orgs/:id/invites'), makeApp);
    const owners = [await orgs.signIn(), await orgs.signIn()];
    const newOrg = (owner: { cookie: string }) => orgs.send(post('/orgs', { name: 'Acme' }, owner.cookie));
    const paths = await Promise.all(
      owners.map(async (owner) => `/orgs/${(await newOrg(owner)).json.org.id as string}/invites`),
    );
    expect(await statuses(20, () => newOrg(owners[0]!))).toEqual({ 200: 19, 429: 1 });
    const invite = (i: number) =>
      orgs.send(post(paths[i % 2]!, { email: `invited-${i}@example.com` }, owners[i % 2]!.cookie));
    expect(await statuses(101, invite)).toEqual({ 200: 100, 429: 1 });
  });

  it('/keys makes an API key of the signed-in user', async () => {
    const fence = fences.find(({ document }) => document === 'docs/providers/api-keys.md')!;
    const { send, signIn, test } = await run(fence, makeApp);
    const { cookie, userId } = await signIn();
    const answer = await send(post('/keys', { name: 'CI' }, cookie));
    expect(await test.service.apiKeys.verify(answer.json.key as string)).toMatchObject({ userId });
  });

  it('the routes of the single-page application allow its origin, and no other, to read their responses', async () => {
    const frontEnd = 'https://app.acme.test';
    const { send } = await run(fenceOf('Access-Control-Allow-Origin'), makeApp);
    const preflight = (Origin: string) =>
      send({ method: 'OPTIONS', path: '/auth/email-code/send', headers: { Origin } });
    const allowed = await preflight(frontEnd);
    expect(allowed.status).toBe(204);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': frontEnd,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'content-type, svc-user',
    });
    expect((await preflight('https://evil.test')).headers).not.toHaveProperty('access-control-allow-origin');

    const session = await send({ method: 'GET', path: '/auth/session', headers: { Origin: frontEnd } });
    expect(session.status).toBe(401);
    expect(session.headers).toMatchObject({
      'access-control-allow-origin': frontEnd,
      vary: 'Origin, Cookie',
    });
  });
});
