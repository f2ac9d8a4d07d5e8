import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const noRandom = {
  object: 'Math',
  property: 'random',
  message: 'Use src/crypto/random: Math.random is predictable.',
};
const noNow = {
  object: 'Date',
  property: 'now',
  message: 'Take the time from the clock, which tests can set.',
};
const noDefaultExport = {
  selector: 'ExportDefaultDeclaration',
  message: 'Name the export: a name is found by a search and survives a rename.',
};
const noZodNamespace = {
  selector: "ImportDeclaration[source.value='zod'] ImportSpecifier[imported.name='z']",
  message: "Write import * as z from 'zod': only that is tree-shaken when the build bundles zod.",
};

const browserGlobals = [
  'AbortController',
  'DOMParser',
  'FormData',
  'HTMLFormElement',
  'PublicKeyCredential',
  'URL',
  'URLSearchParams',
  'addEventListener',
  'btoa',
  'clearInterval',
  'clearTimeout',
  'crypto',
  'document',
  'fetch',
  'history',
  'location',
  'navigator',
  'print',
  'scrollTo',
  'setInterval',
  'setTimeout',
];

export default defineConfig(
  { ignores: ['dist/', '.api-*/', 'coverage/', 'node_modules/', 'example-app/data/', '.data/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      // `typeof import('zod')` is how a lazily loaded package gets its type.
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // An async method without `await` implements an asynchronous interface (memory adapter, fakes).
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['src/**/*.ts', 'testing/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', noDefaultExport, noZodNamespace],
      'no-restricted-properties': ['error', noRandom, noNow],
    },
  },
  // Languages have spaces that do not break, before a question mark in French for example.
  {
    files: ['src/**/texts/**/*.ts'],
    rules: { 'no-irregular-whitespace': ['error', { skipStrings: true, skipTemplates: true }] },
  },
  // The configuration names the default clock; the standalone `verifyToken` has no configuration.
  {
    files: ['src/config/**/*.ts', 'src/crypto/verify-token.ts'],
    rules: { 'no-restricted-properties': ['error', noRandom] },
  },
  {
    files: ['tests/**/*.ts'],
    rules: {
      // supertest's `res.body` is `any` by its types.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  // Their packages are not those of the repository and may be missing. The tests of NestJS check their types.
  {
    files: ['example-app/nestjs/**/*.ts', 'tests/servers/nestjs/nest-11/**/*.ts'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      parserOptions: { projectService: false, emitDecoratorMetadata: true, experimentalDecorators: true },
    },
  },
  {
    files: ['tests/browser/**/*.ts'],
    rules: {
      // node:test waits for its tests by itself.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['test', 'it', 'describe'] },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    ignores: ['src/pages-kit/browser/**'],
    languageOptions: {
      globals: {
        console: 'readonly',
        process: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
      },
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: {
        require: 'readonly',
        module: 'writable',
        exports: 'writable',
        __dirname: 'readonly',
        __filename: 'readonly',
      },
    },
  },
  // Scripts of pages. Those of a folder are one script: each names what it takes from the others, and what they take from it.
  {
    files: ['src/pages-kit/browser/**/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: Object.fromEntries(browserGlobals.map((name) => [name, 'readonly'])),
    },
    rules: { strict: 'off', 'no-shadow': 'error', 'prefer-const': 'error', eqeqeq: 'error' },
  },
);
