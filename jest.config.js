// JavaScript, because Jest would compile a file in TypeScript with its types at every start, which takes seconds.
import { existsSync } from 'node:fs';

/** The .mjs file of the same name loads the .ts file and explains why. */
const ifPresent = (file) => (existsSync(`${file}.ts`) ? `<rootDir>/${file}.mjs` : undefined);

/** Tests that need an installed server, or that build the package. They run only if an argument names their folder. */
const onlyIfNamed = ['tests/servers', 'tests/packaging'];
/** Tests that take long run only if an argument names a path: `npm test` alone takes less than ten minutes. */
const isLong = '\\.long\\.test\\.ts$';
const isNamed = (folder) => process.argv.slice(2).some((argument) => argument.includes(folder));

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/tests/support/test-environment.mjs',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  testPathIgnorePatterns: [
    ...onlyIfNamed.filter((folder) => !isNamed(folder)).map((folder) => `<rootDir>/${folder}/`),
    ...(isNamed('tests') ? [] : [isLong]),
  ],
  // ES modules, because several dependencies are ES modules only; the `test` script passes the flag that this needs.
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: {
    '^svc-auth$': '<rootDir>/src/index.ts',
    '^svc-auth/(token|client|server|admin|pages|redis)$': '<rootDir>/src/$1.ts',
    '^svc-auth/testing$': '<rootDir>/testing/index.ts',
  },
  // Turns `./x.js` into `./x.ts`, in our own files only.
  resolver: '<rootDir>/tests/support/jest-resolver.cjs',
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: ifPresent('tests/support/global-setup'),
  globalTeardown: ifPresent('tests/support/global-teardown'),
  testTimeout: 60_000,
  maxWorkers: 2,
  // PGlite releases its memory late; a new worker starts PGlite again.
  workerIdleMemoryLimit: '1.5GB',
};
