/** @jest-config-loader esbuild-register */
import { existsSync } from 'node:fs';
import type { Config } from 'jest';

/** The .mjs file of the same name loads the .ts file and explains why. */
const ifPresent = (file: string) => (existsSync(`${file}.ts`) ? `<rootDir>/${file}.mjs` : undefined);

/** Tests that need an installed server or that build the package, and tests that other tests run. They run only if an argument names their folder. */
const onlyIfNamed = ['tests/servers', 'tests/packaging', 'tests/inner'];
/** Tests that take long run only if an argument names a path: `npm test` alone takes about three minutes. */
const isLong = '\\.long\\.test\\.ts$';
const isNamed = (folder: string) => process.argv.slice(2).some((argument) => argument.includes(folder));

const config: Config = {
  // Runs test files in child processes of plain Node.js with tsx, so that a worker loads each module once and not once per file.
  runner: '<rootDir>/tests/support/runner.mjs',
  setupFilesAfterEnv: ['<rootDir>/tests/support/worker.ts'],
  transform: {},
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  testPathIgnorePatterns: [
    ...onlyIfNamed.filter((folder) => !isNamed(folder)).map((folder) => `<rootDir>/${folder}/`),
    ...(isNamed('tests') ? [] : [isLong]),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: ifPresent('tests/support/global-setup'),
  globalTeardown: ifPresent('tests/support/global-teardown'),
  // Under the load of STRESS=1 two processes get a tenth of the processors. Eight get a third of them, and are a load on each other.
  maxWorkers: process.env['STRESS'] === '1' ? 8 : 2,
};

export default config;
