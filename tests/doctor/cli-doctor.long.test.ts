// `svc-auth doctor` in a process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Finding } from 'svc-auth';
import { runCommandLine } from '../support/command-line.js';
import { goodSecret } from './good-application.js';

const library = pathToFileURL(path.resolve(import.meta.dirname, '../../src/index.ts')).href;
const express = pathToFileURL(path.resolve(import.meta.dirname, '../../node_modules/express/index.js')).href;
let folder: string;
beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-doctor-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function doctor(configuration: string, args: string[] = [], env: Record<string, string> = {}) {
  const text = `
import { createService, createAuthRouter, consoleSender, sqliteAdapter } from '${library}';
import express from '${express}';
const secret = '${goodSecret}';
const sender = { send: async () => undefined };
${configuration}
// A handle that keeps a process running.
setInterval(() => undefined, 60_000);
`;
  writeFileSync(path.join(folder, 'app.mjs'), text);
  return runCommandLine(['doctor', '--config', 'app.mjs', ...args], {
    folder,
    env: { ...process.env, ...env },
  });
}

const ready = `
export const service = createService({ adapter: sqliteAdapter(), session: { secret }, providers: { emailCode: { sender } } });
await service.init();
export const app = express();
app.use('/api/auth', createAuthRouter(service));
`;

it('exits 0 and says so if nothing is found', async () => {
  expect(await doctor(ready)).toEqual({ code: 0, out: 'No mistakes found.\n', err: '' });
});

it('exits 1, and prints what, why and the line to change, errors first', async () => {
  const { code, out, err } = await doctor(
    `${ready}
app.set('trust proxy', true);
app.use('/auth', createAuthRouter(service));`,
  );
  expect([code, err]).toEqual([1, '']);
  expect(out).toMatch(
    /^Errors\n\n {2}trust proxy trusts every address\. \(trust_proxy_all\)\n {4}A client .+\n {4}Change: app\.set.+\n\nWarnings\n\n {2}A router .+ \(router_twice\)\n/,
  );
});

it('prints JSON with --json', async () => {
  const { code, out } = await doctor(
    `export default { adapter: sqliteAdapter(), session: { secret: 'short' }, logger: { debug() {}, info() {}, warn() {}, error() {} } };`,
    ['--json'],
  );
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  expect(code).toBe(1);
  expect(findings.map(({ id, severity }) => [id, severity])).toEqual([
    ['secret_weak', 'error'],
    ['migrations_missing', 'error'],
  ]);
});

it('prints what createService refuses as findings', async () => {
  const { code, out, err } = await doctor(
    `export default {
  adapter: sqliteAdapter(),
  session: { secret, cookie: { name: '__Host-session', secure: true, domain: 'acme.test' } },
  encryptionKey: secret,
  providers: { webauthn: { rpId: 'acme.test', origins: ['https://acme.example'] }, emailCode: {} },
};`,
    ['--json'],
  );
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  expect([code, err]).toEqual([1, '']);
  expect(findings.map(({ id }) => id).sort()).toEqual([
    'configuration_invalid',
    'cookie_refused',
    'passkey_refused',
    'secret_shared',
  ]);
  expect(out).not.toContain(goodSecret);
});

it('exits 2 without a configuration file', async () => {
  const { code, err } = await runCommandLine(['doctor'], { folder });
  expect(code).toBe(2);
  expect(err).toContain('Pass --config <file>.');
});
