// Checks the floors of docs/architecture.md against the imports. `import type` counts, because a type is a dependency too.
import {
  findCircles,
  parseSource,
  readLibrary,
  readSource,
  type Import,
  type SourceFile,
} from './source-graph.js';

const floors: Record<string, number> = {
  errors: 0,
  html: 0, // the template of the server-rendered pages; it imports nothing
  domain: 0,
  runtime: 0, // the lazy loader of heavy packages; it imports no file of the library
  crypto: 1,
  client: 1, // runs in browsers: next to the server, not below it
  server: 1, // serves any Express application: it imports only modules of Node
  storage: 2,
  adapters: 3,
  core: 3,
  'old-sessions': 4, // what the application passes to the configuration
  providers: 4,
  config: 5,
  engine: 6,
  http: 7,
  testing: 8,
  'pages-kit': 8, // what server-rendered pages share
  admin: 9,
  pages: 9,
  'oauth-server': 9,
  nestjs: 9,
  cli: 10, // the commands of the entry point cli.ts
  entry: 11,
};
const entries = [
  'index.ts',
  'token.ts',
  'client.ts',
  'server.ts',
  'admin.ts',
  'pages.ts',
  'redis.ts',
  'moving.ts',
  'oauth-server.ts',
  'nestjs.ts',
  'testing/index.ts',
  'cli.ts',
];
/** The client and its entry point. */
const isClient = (file: string) => /^client(\/|\.ts$)/.test(file);

const folderOf = (file: string) => (entries.includes(file) ? 'entry' : (file.split('/')[0] ?? file));
const floorOf = (file: string) => floors[folderOf(file)] ?? Number.NaN;
/** A provider is one file or one folder under src/providers. */
const providerOf = (file: string) => file.split('/')[1]?.replace(/\.ts$/, '');
/** The folder of an adapter. Undefined for `knex-adapter.ts`, which chooses between them. */
const kindOfAdapter = (file: string) => /^adapters\/([^/]+)\//.exec(file)?.[1];
const mayUse: Readonly<Record<string, readonly string[]>> = { shared: [], postgres: ['shared', 'portable'] };
/** The rooms of core. A room imports itself and those before it. */
const rooms = [
  'support',
  'audit',
  'queues',
  'limits',
  'sessions',
  'mail',
  'passwords',
  'sign-ups',
  'imports',
];
/** The number of the room of a file. The files outside of the rooms name tools of all of them; no room imports them. */
const roomOf = (file: string) => {
  const [, room, ...rest] = file.split('/');
  if (rest.length === 0) return rooms.length;
  return rooms.indexOf(room ?? '');
};
const isCore = (file: string) => folderOf(file) === 'core';
/** Names every provider; none of them imports it. */
const providerTable = 'providers/table.ts';
const isExpress = (specifier: string) => /^(@types\/)?express(-serve-static-core)?(\/|$)/.test(specifier);

/** Every rule: its sentence, and whether an import breaks it. */
const rules: [sentence: string, broken: (each: Import, files: Set<string>) => boolean][] = [
  ['every relative import names a file that exists', (i, files) => !i.external && !files.has(i.to)],
  ['no file imports upward', (i) => !i.external && floorOf(i.to) > floorOf(i.from)],
  [
    'providers never import each other',
    (i) =>
      folderOf(i.from) === 'providers' &&
      i.from !== providerTable &&
      folderOf(i.to) === 'providers' &&
      !i.external &&
      providerOf(i.from) !== providerOf(i.to),
  ],
  [
    'adapters share only adapters/shared; PostgreSQL also builds on adapters/portable',
    (i) =>
      !i.external &&
      kindOfAdapter(i.from) !== undefined &&
      folderOf(i.to) === 'adapters' &&
      ![kindOfAdapter(i.from), ...(mayUse[kindOfAdapter(i.from) ?? ''] ?? ['shared'])].includes(
        kindOfAdapter(i.to) ?? '',
      ),
  ],
  [
    'adapters never import core',
    (i) => folderOf(i.from) === 'adapters' && !i.external && folderOf(i.to) === 'core',
  ],
  [
    'core never imports adapters',
    (i) => folderOf(i.from) === 'core' && !i.external && folderOf(i.to) === 'adapters',
  ],
  [
    'a room of core imports only itself and the rooms before it',
    (i) => isCore(i.from) && !i.external && isCore(i.to) && roomOf(i.to) > roomOf(i.from),
  ],
  [
    'adapters and providers meet only in storage',
    (i) =>
      !i.external &&
      ((folderOf(i.from) === 'adapters' && folderOf(i.to) === 'providers') ||
        (folderOf(i.from) === 'providers' && folderOf(i.to) === 'adapters')),
  ],
  [
    'only http, the pages, the OAuth server and the module for NestJS import express',
    (i) =>
      i.external &&
      isExpress(i.to) &&
      !['http', 'pages-kit', 'admin', 'pages', 'oauth-server', 'nestjs', 'runtime'].includes(
        folderOf(i.from),
      ),
  ],
  [
    'only http, pages-kit and the OAuth server ask the lazy loader for express and its body and cookie parsers',
    (i) =>
      folderOf(i.to) === 'runtime' &&
      !['http', 'pages-kit', 'oauth-server'].includes(folderOf(i.from)) &&
      i.names.some((name) => ['loadExpress'].includes(name)),
  ],
  [
    'http, the pages and the OAuth server know the engine by type only',
    (i) =>
      ['http', 'pages-kit', 'admin', 'pages', 'oauth-server'].includes(folderOf(i.from)) &&
      !i.external &&
      folderOf(i.to) === 'engine' &&
      !i.typeOnly,
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
    'the client imports four packages, and no module of Node',
    (i) =>
      isClient(i.from) &&
      i.external &&
      !['@simplewebauthn/browser', '@zxcvbn-ts/core', '@zxcvbn-ts/language-common'].includes(i.to) &&
      !(i.from === 'client/proof-of-work.ts' && /^altcha-lib(\/|$)/.test(i.to)),
  ],
  [
    'only its entry point imports the client',
    (i) => !i.external && folderOf(i.to) === 'client' && !isClient(i.from),
  ],
  [
    'the server imports only its own files and modules of Node',
    (i) =>
      folderOf(i.from) === 'server' && (i.external ? !i.to.startsWith('node:') : folderOf(i.to) !== 'server'),
  ],
  [
    'only its entry point imports the server',
    (i) => folderOf(i.to) === 'server' && !['server', 'entry'].includes(folderOf(i.from)),
  ],
  [
    'only its entry point imports the sources of old sessions',
    (i) =>
      folderOf(i.to) === 'old-sessions' &&
      !['old-sessions/', 'moving.ts'].some((own) => i.from.startsWith(own)),
  ],
  [
    'only their entry point imports the pages, the module for NestJS, and the OAuth server, whose clients the command line manages',
    (i) =>
      ['admin', 'pages', 'oauth-server', 'nestjs'].includes(folderOf(i.to)) &&
      !(folderOf(i.from) === folderOf(i.to) || i.from === `${folderOf(i.to)}.ts`) &&
      !(i.from === 'cli/oauth-clients.ts' && i.to === 'oauth-server/clients-alone.ts'),
  ],
  [
    'only entry points of pages, pages and mails import what pages share',
    (i) =>
      (folderOf(i.to) === 'pages-kit' && !['pages-kit', 'admin', 'pages'].includes(folderOf(i.from))) ||
      (folderOf(i.to) === 'html' &&
        !['html', 'http', 'pages-kit', 'admin', 'pages'].includes(folderOf(i.from)) &&
        !i.from.startsWith('core/mail/') &&
        !(i.typeOnly && i.from === 'core/internals.ts') &&
        i.from !== 'pages.ts'),
  ],
  ['no file of the library imports an entry point', (i) => !i.external && entries.includes(i.to)],
  [
    'no file of the library imports the package by its own name',
    (i) => i.external && /^svc-auth(\/|$)/.test(i.to),
  ],
];

function violations(files: SourceFile[], broken: (each: Import, files: Set<string>) => boolean): string[] {
  const paths = new Set(files.map((file) => file.path));
  return files
    .flatMap((file) => file.imports)
    .filter((each) => broken(each, paths))
    .map((each) => `${each.from} -> ${each.to}${each.typeOnly ? ' (type)' : ''}`);
}

describe('The floors of the library', () => {
  const source = readLibrary();

  it('are assigned to every file', () => {
    expect(source.map((file) => file.path)).toEqual(expect.arrayContaining(entries));
    expect(source.map((file) => file.path).filter((file) => Number.isNaN(floorOf(file)))).toEqual([]);
  });

  it('assign a room to every file of core', () => {
    const core = source.map((file) => file.path).filter(isCore);
    expect(core.filter((file) => roomOf(file) < 0)).toEqual([]);
  });

  it.each(rules)('keep the rule: %s', (_sentence, broken) => {
    expect(violations(source, broken)).toEqual([]);
  });

  it('have no import circles', () => {
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
      `type Request = import('express').Request; const load = () => import('../core/k.js');`,
    ),
    parseSource('providers/a/c.ts', ''),
    parseSource(providerTable, `import { b } from './b.js';`),
    parseSource('providers/d.ts', `import { providerTable } from './table.js';`),
    parseSource('adapters/x.ts', `import { type K } from '../core/k.js'; import y from '../providers/b.js';`),
    parseSource('adapters/portable/p.ts', `import '../postgres/q.js'; import '../shared/s.js';`),
    parseSource('adapters/postgres/q.ts', `import '../portable/r.js'; import '../memory/m.js';`),
    parseSource('adapters/portable/r.ts', ''),
    parseSource('adapters/memory/m.ts', ''),
    parseSource('adapters/shared/s.ts', `import type { P } from '../portable/r.js';`),
    parseSource(
      'core/k.ts',
      `import '../adapters/x.js'; import { loadExpress as e } from '../runtime/load.js';`,
    ),
    parseSource('core/limits/l.ts', `import '../queues/q.js'; import type { M } from '../mail/m.js';`),
    parseSource('core/queues/q.ts', `import '../k.js';`),
    parseSource('core/mail/m.ts', `import '../queues/q.js';`),
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
    parseSource(
      'server/s.ts',
      `import 'node:http'; import 'pg'; import type { U } from '../domain/user.js';`,
    ),
    parseSource('http/s.ts', `import { s } from '../server/s.js';`),
    parseSource(
      'admin/p.ts',
      `import { html } from '../html/h.js'; import { loadExpress } from '../runtime/load.js';`,
    ),
    parseSource('html/h.ts', ''),
    parseSource('cli/c.ts', `import { p } from '../admin/p.js'; import type { H } from '../html/h.js';`),
  ];

  it.each<[string, string[]]>([
    ['every relative import names a file that exists', ['http/router.ts -> http/gone.ts']],
    [
      'no file imports upward',
      [
        'domain/user.ts -> engine/service.ts (type)',
        'engine/service.ts -> index.ts',
        'adapters/x.ts -> providers/b.ts',
      ],
    ],
    [
      'providers never import each other',
      ['providers/a.ts -> providers/b.ts', 'providers/d.ts -> providers/table.ts'],
    ],
    [
      'adapters share only adapters/shared; PostgreSQL also builds on adapters/portable',
      [
        'adapters/portable/p.ts -> adapters/postgres/q.ts',
        'adapters/postgres/q.ts -> adapters/memory/m.ts',
        'adapters/shared/s.ts -> adapters/portable/r.ts (type)',
      ],
    ],
    ['adapters never import core', ['adapters/x.ts -> core/k.ts (type)']],
    ['core never imports adapters', ['core/k.ts -> adapters/x.ts']],
    [
      'a room of core imports only itself and the rooms before it',
      ['core/limits/l.ts -> core/mail/m.ts (type)', 'core/queues/q.ts -> core/k.ts'],
    ],
    [
      'adapters and providers meet only in storage',
      ['providers/a.ts -> adapters/x.ts', 'adapters/x.ts -> providers/b.ts'],
    ],
    [
      'only http, the pages, the OAuth server and the module for NestJS import express',
      ['providers/b.ts -> express (type)'],
    ],
    [
      'only http, pages-kit and the OAuth server ask the lazy loader for express and its body and cookie parsers',
      ['core/k.ts -> runtime/load.ts', 'admin/p.ts -> runtime/load.ts'],
    ],
    [
      'the client knows the server by plain types of errors and domain only',
      ['client/a.ts -> domain/user.ts', 'client.ts -> http/route.ts (type)'],
    ],
    ['the client imports four packages, and no module of Node', ['client/a.ts -> node:fs']],
    ['only its entry point imports the client', ['crypto/c.ts -> client/a.ts']],
    [
      'the server imports only its own files and modules of Node',
      ['server/s.ts -> pg', 'server/s.ts -> domain/user.ts (type)'],
    ],
    ['only its entry point imports the server', ['http/s.ts -> server/s.ts']],
    [
      'only their entry point imports the pages, the module for NestJS, and the OAuth server, whose clients the command line manages',
      ['cli/c.ts -> admin/p.ts'],
    ],
    ['only entry points of pages, pages and mails import what pages share', ['cli/c.ts -> html/h.ts (type)']],
    [
      'http, the pages and the OAuth server know the engine by type only',
      ['http/router.ts -> engine/service.ts'],
    ],
    ['no file of the library imports an entry point', ['engine/service.ts -> index.ts']],
    ['no file of the library imports the package by its own name', ['engine/service.ts -> svc-auth']],
  ])('finds the imports that break the rule: %s', (sentence, expected) => {
    const broken = rules.find(([name]) => name === sentence)?.[1];
    expect(broken && violations(files, broken)).toEqual(expected);
  });

  it('finds circles, also through types and lazy imports', () => {
    expect(findCircles(files)).toEqual([
      'adapters/x.ts <-> core/k.ts <-> providers/b.ts',
      'domain/user.ts <-> engine/service.ts <-> http/router.ts <-> index.ts',
    ]);
  });
});
