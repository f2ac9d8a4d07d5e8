import { existsSync } from 'node:fs';
import type { Config } from 'jest';

/** The .mjs file beside it loads the .ts file and says why. */
const ifPresent = (file: string) => (existsSync(`${file}.ts`) ? `<rootDir>/${file}.mjs` : undefined);

const config: Config = {
  testEnvironment: '<rootDir>/tests/support/test-environment.mjs',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  // ES modules, as several dependencies are nothing else; see the `test` script for the flag that goes with it.
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
    '^svc-auth/(token|client|testing)$': '<rootDir>/src/$1.ts',
  },
  // Turns `./x.js` into `./x.ts`, in our own files only.
  resolver: '<rootDir>/tests/support/jest-resolver.cjs',
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: ifPresent('tests/support/global-setup'),
  globalTeardown: ifPresent('tests/support/global-teardown'),
  testTimeout: 60_000,
  maxWorkers: 2,
  // PGlite's memory is given back late; a new worker prepares PGlite anew.
  workerIdleMemoryLimit: '1.5GB',
};

export default config;
