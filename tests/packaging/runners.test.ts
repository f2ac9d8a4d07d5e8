// An application with SQLite, PostgreSQL, SMTP and pages, from the packed tarball, in the ways in which applications run.
// Vitest and postject come from npm; the other packages are copied.
import path from 'node:path';
import { createDatabase, type TestDatabase } from '../support/postgres.js';
import { Consumer } from './consumer.js';
import { application, applicationRan, importsOf } from './programs.js';

const minutes = 60_000;
const consumer = new Consumer();
let database: TestDatabase;
let runs = 0;

beforeAll(async () => {
  await consumer.installFromRegistry(['vitest@^4', 'postject@1.0.0-alpha.6']);
  await consumer.install(['express', 'jest', 'libsql', 'smtp-server', 'otpauth', '@simplewebauthn/server'], {
    types: false,
  });
}, 8 * minutes);
afterAll(() => consumer.remove());
beforeEach(async () => {
  database = await createDatabase();
});
afterEach(() => database.drop());

const environment = () => ({
  DATABASE_URL: database.url,
  SQLITE_FILE: path.join(consumer.folder, `${(runs += 1)}.db`),
});
const expected = JSON.stringify(applicationRan);
const printed = `run().then((result) => console.log(JSON.stringify(result)));`;

describe('An application with databases, mail and pages', () => {
  it(
    'runs in Jest as CommonJS, without options of Node.js',
    async () => {
      consumer.write(
        'jest/application.test.js',
        `${importsOf('cjs')}\n${application}
         test('runs', async () => { expect(await run()).toEqual(${expected}); }, 60_000);`,
      );
      const output = await consumer.run('node_modules/jest/bin/jest.js', ['jest'], environment());
      expect([output.code, output.stderr]).toEqual([0, expect.stringContaining('1 passed')]);
    },
    2 * minutes,
  );

  it(
    'loads the packages of Pro features in CommonJS Jest, and reports what an ES module needs there',
    async () => {
      consumer.write(
        'jest-pro/pro.test.js',
        `const { communityLicense, createService, memoryAdapter } = require('svc-auth');
                  test('loads', async () => {
           const service = createService({
             adapter: memoryAdapter(),
             session: { secret: 'a secret of the packaging test, 32 bytes or more' },
             encryptionKey: 'an encryption key of the packaging test',
             licenseKey: communityLicense,
             providers: {
               google: { clientId: 'id', clientSecret: 's', redirectUri: 'https://acme.test/callback' },
               totp: true,
               webauthn: { rpId: 'acme.test', origins: ['https://acme.test'] },
             },
           });
           await service.init();
           const { id } = await service.users.create({ email: 'ada@example.com' });
           await service.totp.beginEnrollment(id);
           await expect(service.totp.confirmEnrollment(id, '000000')).rejects.toThrow('code');
           expect((await service.webauthn.startAuthentication()).options.challenge).toBeTruthy();
           await expect(service.google.getAuthUrl()).rejects.toThrow('node --experimental-vm-modules');
         });`,
      );
      const output = await consumer.run('node_modules/jest/bin/jest.js', ['jest-pro']);
      expect([output.code, output.stderr]).toEqual([0, expect.stringContaining('1 passed')]);
    },
    2 * minutes,
  );

  it(
    'runs in Vitest',
    async () => {
      consumer.write(
        'vitest/application.test.js',
        `import { expect, test } from 'vitest';\n${importsOf('esm')}\n${application}
         test('runs', async () => { expect(await run()).toEqual(${expected}); }, 60_000);`,
      );
      const output = await consumer.run('node_modules/vitest/vitest.mjs', ['run', 'vitest'], environment());
      expect([output.code, output.stderr]).toEqual([0, '']);
      expect(output.stdout).toContain('1 passed');
    },
    2 * minutes,
  );

  it(
    'runs in the test runner of Node.js',
    async () => {
      consumer.write(
        'application.test.mjs',
        `import { deepEqual } from 'node:assert/strict';\nimport { test } from 'node:test';
         ${importsOf('esm')}\n${application}
         test('runs', async () => deepEqual(await run(), ${expected}));`,
      );
      const output = await consumer.run('--test', ['application.test.mjs'], environment());
      expect([output.code, output.stderr]).toEqual([0, '']);
      expect(output.stdout).toContain('# pass 1');
    },
    2 * minutes,
  );

  // Native addons, and packages that import the drivers of every database.
  const outside = ['bcrypt', 'knex', 'knex-pglite', 'libsql'];

  it(
    'runs as a bundle of esbuild, next to its native packages',
    async () => {
      consumer.write('application.mjs', `${importsOf('esm')}\n${application}\n${printed}`);
      await consumer.bundle('application.mjs', 'bundle.cjs', outside);
      const output = await consumer.run('bundle.cjs', [], environment());
      expect(output.stderr).toBe('');
      expect(JSON.parse(output.stdout)).toEqual(applicationRan);
    },
    2 * minutes,
  );

  it(
    'runs as a single executable of Node.js, next to its native packages',
    async () => {
      consumer.write('application.cjs', `${importsOf('cjs')}\n${application}\n${printed}`);
      const banner = `require = require('node:module').createRequire(__filename);`;
      await consumer.bundle('application.cjs', 'executable.cjs', outside, banner);
      const output = await consumer.runExecutable('executable.cjs', environment());
      expect(output.stderr).toBe('');
      expect(JSON.parse(output.stdout)).toEqual(applicationRan);
    },
    2 * minutes,
  );
});
