// The floors of docs/architecture.md, read off the imports. `import type` counts: a type ties two files together too.
import { findCircles, parseSource, readSource, type Import, type SourceFile } from './source-graph.js';

const floors: Record<string, number> = {
  errors: 0,
  domain: 0,
  runtime: 0, // the lazy loader of heavy packages; it imports nothing of ours
  crypto: 1,
  client: 1, // what runs in browsers: beside the server, not below it
  storage: 2,
  adapters: 3,
  kit: 3,
  providers: 4,
  config: 5,
  engine: 6,
  http: 7,
  testing: 8,
  entry: 9,
};
const entries = ['index.ts', 'token.ts', 'client.ts', 'testing.ts', 'cli.ts'];
/** The client and its entry point. */
const isClient = (file: string) => /^client(\/|\.ts$)/.test(file);

const folderOf = (file: string) => (entries.includes(file) ? 'entry' : (file.split('/')[0] ?? file));
const floorOf = (file: string) => floors[folderOf(file)] ?? Number.NaN;
/** A provider is one file or one folder under src/providers. */
const providerOf = (file: string) => file.split('/')[1]?.replace(/\.ts$/, '');
const isExpress = (specifier: string) => /^(@types\/)?express(-serve-static-core)?(\/|$)/.test(specifier);

/** Every rule: the sentence, and what breaks it. */
const rules: [sentence: string, broken: (each: Import, files: Set<string>) => boolean][] = [
  ['every relative import names a file that exists', (i, files) => !i.external && !files.has(i.to)],
  ['nobody imports upward', (i) => !i.external && floorOf(i.to) > floorOf(i.from)],
  [
    'providers never import each other',
    (i) =>
      folderOf(i.from) === 'providers' &&
      folderOf(i.to) === 'providers' &&
      !i.external &&
      providerOf(i.from) !== providerOf(i.to),
  ],
  [
    'adapters never import kit',
    (i) => folderOf(i.from) === 'adapters' && !i.external && folderOf(i.to) === 'kit',
  ],
  [
    'kit never imports adapters',
    (i) => folderOf(i.from) === 'kit' && !i.external && folderOf(i.to) === 'adapters',
  ],
  [
    'adapters and providers meet only in storage',
    (i) =>
      !i.external &&
      ((folderOf(i.from) === 'adapters' && folderOf(i.to) === 'providers') ||
        (folderOf(i.from) === 'providers' && folderOf(i.to) === 'adapters')),
  ],
  [
    'only http imports express',
    (i) => i.external && isExpress(i.to) && !['http', 'runtime'].includes(folderOf(i.from)),
  ],
  [
    'only http asks the lazy loader for express and its body and cookie parsers',
    (i) =>
      folderOf(i.to) === 'runtime' &&
      folderOf(i.from) !== 'http' &&
      i.names.some((name) => ['loadExpress', 'loadCookieParser'].includes(name)),
  ],
  [
    'http knows the engine by type only',
    (i) => folderOf(i.from) === 'http' && !i.external && folderOf(i.to) === 'engine' && !i.typeOnly,
  ],
  [
    'the client knows the server by plain types of errors and domain only',
    (i) =>
      isClient(i.from) &&
      !i.external &&
      !isClient(i.to) &&
      !(i.typeOnly && ['errors', 'domain'].includes(folderOf(i.to))),
  ],
  [
    'the client imports one package, and no module of Node',
    (i) => isClient(i.from) && i.external && i.to !== '@simplewebauthn/browser',
  ],
  [
    'nobody but its entry point imports the client',
    (i) => !i.external && folderOf(i.to) === 'client' && !isClient(i.from),
  ],
  ['nobody inside imports an entry point', (i) => !i.external && entries.includes(i.to)],
  ['nobody inside imports the package by its own name', (i) => i.external && /^svc-auth(\/|$)/.test(i.to)],
];

function offences(files: SourceFile[], broken: (each: Import, files: Set<string>) => boolean): string[] {
  const paths = new Set(files.map((file) => file.path));
  return files
    .flatMap((file) => file.imports)
    .filter((each) => broken(each, paths))
    .map((each) => `${each.from} -> ${each.to}${each.typeOnly ? ' (type)' : ''}`);
}

describe('The floors of src', () => {
  const source = readSource();

  it('are known for every file', () => {
    expect(source.map((file) => file.path)).toEqual(expect.arrayContaining(entries));
    expect(source.map((file) => file.path).filter((file) => Number.isNaN(floorOf(file)))).toEqual([]);
  });

  it.each(rules)('hold: %s', (_sentence, broken) => {
    expect(offences(source, broken)).toEqual([]);
  });

  it('hold: there are no import circles', () => {
    expect(findCircles(source)).toEqual([]);
  });
});

describe('The example application', () => {
  it('has no import circles', () => {
    expect(findCircles(readSource('example-app'))).toEqual([]);
  });
});

describe('The reader of imports', () => {
  const files = [
    parseSource('domain/user.ts', `import type { Service } from '../engine/service.js';`),
    parseSource(
      'engine/service.ts',
      `import { user } from '../domain/user.js'; import '../index.js'; import 'svc-auth';`,
    ),
    parseSource(
      'providers/a.ts',
      `export { b } from './b.js'; export { c } from './a/c.js'; import '../adapters/x.js';`,
    ),
    parseSource(
      'providers/b.ts',
      `type Request = import('express').Request; const load = () => import('../kit/k.js');`,
    ),
    parseSource('providers/a/c.ts', ''),
    parseSource('adapters/x.ts', `import { type K } from '../kit/k.js'; import y from '../providers/b.js';`),
    parseSource(
      'kit/k.ts',
      `import '../adapters/x.js'; import { loadExpress as e } from '../runtime/load.js';`,
    ),
    parseSource('runtime/load.ts', `const load = () => require('express');`),
    parseSource('http/router.ts', `import { Service } from '../engine/service.js'; import './gone.js';`),
    parseSource(
      'http/route.ts',
      `import type { Service } from '../engine/service.js'; import express from 'express';`,
    ),
    parseSource('index.ts', `export * from './http/router.js';`),
    parseSource(
      'client/a.ts',
      `import type { U } from '../domain/user.js'; import { u } from '../domain/user.js'; import 'node:fs';`,
    ),
    parseSource('client.ts', `export { a } from './client/a.js'; import type { R } from './http/route.js';`),
    parseSource('crypto/c.ts', `import { a } from '../client/a.js'; import('@simplewebauthn/browser');`),
  ];

  it.each<[string, string[]]>([
    ['every relative import names a file that exists', ['http/router.ts -> http/gone.ts']],
    [
      'nobody imports upward',
      [
        'domain/user.ts -> engine/service.ts (type)',
        'engine/service.ts -> index.ts',
        'adapters/x.ts -> providers/b.ts',
      ],
    ],
    ['providers never import each other', ['providers/a.ts -> providers/b.ts']],
    ['adapters never import kit', ['adapters/x.ts -> kit/k.ts (type)']],
    ['kit never imports adapters', ['kit/k.ts -> adapters/x.ts']],
    [
      'adapters and providers meet only in storage',
      ['providers/a.ts -> adapters/x.ts', 'adapters/x.ts -> providers/b.ts'],
    ],
    ['only http imports express', ['providers/b.ts -> express (type)']],
    [
      'only http asks the lazy loader for express and its body and cookie parsers',
      ['kit/k.ts -> runtime/load.ts'],
    ],
    [
      'the client knows the server by plain types of errors and domain only',
      ['client/a.ts -> domain/user.ts', 'client.ts -> http/route.ts (type)'],
    ],
    ['the client imports one package, and no module of Node', ['client/a.ts -> node:fs']],
    ['nobody but its entry point imports the client', ['crypto/c.ts -> client/a.ts']],
    ['http knows the engine by type only', ['http/router.ts -> engine/service.ts']],
    ['nobody inside imports an entry point', ['engine/service.ts -> index.ts']],
    ['nobody inside imports the package by its own name', ['engine/service.ts -> svc-auth']],
  ])('notices when this is broken: %s', (sentence, expected) => {
    const broken = rules.find(([name]) => name === sentence)?.[1];
    expect(broken && offences(files, broken)).toEqual(expected);
  });

  it('notices circles, through types and lazy imports too', () => {
    expect(findCircles(files)).toEqual([
      'adapters/x.ts <-> kit/k.ts <-> providers/b.ts',
      'domain/user.ts <-> engine/service.ts <-> http/router.ts <-> index.ts',
    ]);
  });
});
