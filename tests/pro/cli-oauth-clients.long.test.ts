// `svc-auth oauth-clients` on PostgreSQL, next to an application that has an OAuth server.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { knexAdapter } from 'svc-auth';
import type { RegisteredClient } from 'svc-auth/oauth-server';
import { runClientCommand, type CommandSetup } from '../support/command-terminal.js';
import { LeakScan } from '../support/leak-scan.js';
import { openOAuthSite, type OAuthSite } from '../support/oauth-site.js';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.js';
import { repository } from '../architecture/source-graph.js';
import { allow, askForToken, call, callback, signedIn } from '../oauth-server/protocol.js';

const leaks = new LeakScan();
let database: TestDatabase;
let site: OAuthSite;
beforeAll(async () => {
  database = await createMigratedDatabase();
  const connection = { client: 'pg', connection: database.url, pool: { min: 0, max: 4 } } as const;
  site = await openOAuthSite({}, knexAdapter(connection));
});
afterAll(async () => {
  await site.close();
  await database.drop();
});

const run = (args: string[], setup: CommandSetup = {}) =>
  runClientCommand(args, { url: database.url, ...setup }, leaks);

interface Created {
  client: RegisteredClient;
  secret: string | null;
}

async function json<T>(args: string[]): Promise<T> {
  const { code, out, err } = await run([...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as T;
}

const create = (...options: string[]) =>
  json<Created>(['create', '--name', 'Partner', '--redirect-uri', callback, ...options]);

async function isAccepted(clientId: string, secret: string): Promise<boolean> {
  const { client_id: _, ...redeemable } = await allow(site, await site.browser('ada@example.com'), clientId);
  const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
  return (await askForToken(site, redeemable, { authorization })).status === 200;
}

describe('svc-auth oauth-clients', () => {
  it('registers a client that the application accepts at once, with its secret', async () => {
    const { client, secret } = await create('--confidential', '--uri', 'https://partner.test/');
    expect(JSON.parse(JSON.stringify(await site.oauth.clients.get(client.id)))).toEqual(client);
    expect(await isAccepted(client.id, secret!)).toBe(true);
    const keys = await site.test.adapter.oauthServer!.listKeys();
    expect(keys).toHaveLength(1);
  });

  it('prints a secret once, for a person too', async () => {
    const name = 'Second partner';
    const args = ['create', '--name', name, '--redirect-uri', callback, '--confidential'];
    const { code, err, out } = await run(args);
    const [, id, secret] =
      /^Registered Second partner \(([\w-]{36})\)\.\nSecret, which is not shown again: ([\w-]{43})\n$/.exec(
        out,
      )!;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const list = await run(['list']);
    expect(list.out).toContain(id);
    expect(list.out).not.toContain(secret);
    expect(list.out.split('\n')[0]).toMatch(/^ID +NAME +KIND +SECRETS +REDIRECT ADDRESSES +CREATED \(UTC\)$/);
  });

  it('escapes what would control the terminal', async () => {
    const repositoryOf = site.test.adapter.oauthServer!;
    const metadata = { client_name: 'A\u009b31m\u202e', redirect_uris: [callback] };
    const now = new Date(site.test.clock.now());
    await repositoryOf.insertClient({
      ...{ id: 'strange', kind: 'dynamic', metadata, createdAt: now, expiresAt: null },
    });
    for (const options of [[], ['--json']]) {
      const { out } = await run(['list', ...options]);
      expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(out).toContain('\\u009b31m\\u202e');
    }
    expect(await run(['add-secret', 'strange'])).toMatchObject({ code: 1, out: '' });
    expect((await run(['remove', 'strange', '--yes'])).code).toBe(0);
  });

  it('replaces a secret without a break', async () => {
    const { client, secret } = await create('--confidential');
    const added = await json<{ client: RegisteredClient; secret: string }>(['add-secret', client.id]);
    expect(await isAccepted(client.id, secret!)).toBe(true);
    expect(await isAccepted(client.id, added.secret)).toBe(true);
    const [old, next] = added.client.secrets;
    expect(await run(['add-secret', client.id])).toMatchObject({
      code: 1,
      err: expect.stringContaining('two secrets'),
    });
    expect((await run(['remove-secret', client.id, old!.id, '--yes'])).code).toBe(0);
    expect(await isAccepted(client.id, secret!)).toBe(false);
    expect(await isAccepted(client.id, added.secret)).toBe(true);
    for (const [id, message] of [
      [old!.id, 'no such secret'],
      [next!.id, 'only secret'],
    ] as const)
      expect(await run(['remove-secret', client.id, id, '--yes'])).toMatchObject({
        code: 1,
        err: expect.stringContaining(message),
      });
  });

  it('removes a client and its access, after it has asked', async () => {
    const { client } = await create();
    const tokens = await signedIn(site, 'ada@example.com', client.id);
    const typed = (answer: string) => ({ typed: [['[y/N] ', answer]] as const });
    const refused = await run(['remove', client.id], typed('n\r'));
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Nothing was changed')]);
    expect((await call(site, tokens.access_token)).status).toBe(200);
    const removed = await run(['remove', client.id], typed('y\r'));
    expect([removed.code, removed.out]).toEqual([0, `Removed Partner (${client.id}).\n`]);
    expect((await call(site, tokens.access_token)).status).toBe(401);
    expect(await run(['remove', client.id, '--yes'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no such client'),
    });
  });

  it.each([
    [['create', '--name', 'X'], 'Pass --name and --redirect-uri.'],
    [['create', '--name', 'X', '--redirect-uri', callback, '--secret', 'x'], 'Unknown option --secret.'],
    [['list', 'x'], 'takes only options'],
    [['remove'], 'Pass: <client>.'],
    [['remove-secret', 'x', '--yes'], 'Pass: <client> <secret id>.'],
    [['remove', 'x'], 'Pass --yes'],
    [['rename'], 'Unknown command "oauth-clients rename".'],
    [[], 'Name a command.'],
  ])('refuses %j as wrong usage', async (args, message) => {
    const { code, err, out } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  it.each([
    ['http://partner.test/callback', 'https'],
    ['https://partner.test/#fragment', 'fragment'],
    ['partner', 'redirect_uris'],
  ])('refuses the redirect address %s', async (uri, message) => {
    const { code, err } = await run(['create', '--name', 'X', '--redirect-uri', uri]);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  it('describes its commands', async () => {
    const help = await run(['--help']);
    for (const name of ['list', 'create', 'remove', 'add-secret', 'remove-secret']) {
      expect(help.out).toContain(`svc-auth oauth-clients ${name} `);
      const { code, out } = await run([name, '--help']);
      expect([code, out]).toEqual([0, expect.stringContaining(`Usage: svc-auth oauth-clients ${name} `)]);
    }
  });

  it('uses the OAuth server of a configuration file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-auth-clients-'));
    const file = join(folder, 'auth.mjs');
    const entry = (name: string) => JSON.stringify(pathToFileURL(join(repository, 'src', name)).href);
    const code = `
      import { createService, memoryAdapter } from ${entry('index.ts')};
      import { createOAuthServer } from ${entry('oauth-server.ts')};
      const silent = { debug() {}, info() {}, warn() {}, error() {} };
      const sender = { send: async () => undefined };
      export const auth = createService({
        adapter: memoryAdapter(), logger: silent, session: { secret: 'x'.repeat(40) }, providers: { emailCode: { sender } },
      });
      const oauth = createOAuthServer(auth, { issuer: 'https://app.test', resources: { 'https://app.test/mcp': { scopes: {} } } });
      await oauth.clients.create({ name: 'Of the file', redirectUris: ['https://partner.test/callback'] });`;
    await writeFile(file, code);
    const { out, err } = await run(['list', '--config', file]);
    await rm(folder, { recursive: true });
    expect([err, out]).toEqual(['', expect.stringContaining('Of the file')]);
  });
});
