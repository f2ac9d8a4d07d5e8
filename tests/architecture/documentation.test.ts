// The documents against the source: what they point to exists, and what exists is in them.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { configurationPage, generateConfigurationPage } from '../../scripts/generate-configuration-docs.js';
import { Service } from '../../src/engine/service.js';
import { errorCodes } from '../../src/errors/service-error.js';
import { listRoutes } from '../../src/http/openapi/list-routes.js';
import { AccountProvider } from '../../src/providers/account/account.js';
import { ApiKeysProvider } from '../../src/providers/api-keys/api-keys.js';
import { EmailCodeProvider } from '../../src/providers/email-code.js';
import { EmailPasswordProvider } from '../../src/providers/email-password/email-password.js';
import { MagicLinkProvider } from '../../src/providers/magic-link/magic-link.js';
import { IdentitiesProvider } from '../../src/providers/identities.js';
import { GoogleProvider } from '../../src/providers/oauth/google.js';
import { reserved } from '../../src/providers/oauth/oauth-options.js';
import { OAuthProvider } from '../../src/providers/oauth/oauth.js';
import { OrgsProvider } from '../../src/providers/orgs/orgs.js';
import { RefreshProvider } from '../../src/providers/refresh.js';
import { SessionsProvider } from '../../src/providers/sessions/sessions.js';
import { anchorsOf, headingsOf, linksOf, parseDocument, readDocuments, sectionOf } from './documents.js';
import { tagsIn } from '../../scripts/security-requirements.js';
import { filesBelow, parseSource, readLibrary, readSource, repository } from './source-graph.js';

const documents = readDocuments();
const documentAt = (file: string) => {
  const found = documents.find((document) => document.path === file);
  if (!found) throw new Error(`${file} is missing`);
  return found;
};
const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');
const codes = Object.keys(errorCodes) as (keyof typeof errorCodes)[];

describe('docs/configuration.md', () => {
  it('is what `npm run docs -- configuration` writes', () => {
    expect(readFileSync(configurationPage, 'utf8')).toBe(generateConfigurationPage());
  });
});

describe('Links', () => {
  const links = documents.flatMap(linksOf);

  it('lead to files of the repository', () => {
    const broken = links.filter(({ target }) => !existsSync(path.join(repository, target)));
    expect(broken.map(({ document, target }) => `${document} -> ${target}`)).toEqual([]);
  });

  it('lead to headings that exist', () => {
    const broken = links.filter(({ target, anchor }) => {
      const document = documents.find((each) => each.path === target);
      return anchor !== undefined && document !== undefined && !anchorsOf(document).includes(anchor);
    });
    expect(broken.map(({ document, target, anchor }) => `${document} -> ${target}#${anchor}`)).toEqual([]);
  });

  it('lead to every page of docs', () => {
    const linked = new Set(
      links.filter(({ document, target }) => document !== target).map(({ target }) => target),
    );
    const pages = documents.map((document) => document.path).filter((file) => /^docs\/(?!api\/)/.test(file));
    expect(pages.filter((page) => !linked.has(page))).toEqual([]);
  });
});

describe('docs/README.md', () => {
  it('links every page of docs and docs/providers, and the index of docs/decisions', () => {
    const linked = linksOf(documentAt('docs/README.md')).map(({ target }) => target);
    const pages = documents
      .map(({ path: file }) => file)
      .filter((file) => /^docs\/(providers\/)?[\w-]+\.md$/.test(file) && file !== 'docs/README.md');
    expect([...pages, 'docs/decisions/README.md'].filter((page) => !linked.includes(page))).toEqual([]);
  });
});

describe('What comments in src refer to', () => {
  // Comments wrap: a reference may be broken over two lines.
  const source = readLibrary().map(({ path: file, text }) => ({ file, text: text.replace(/\n\s*\*/g, '') }));
  const references = source.flatMap(({ file, text }) => [
    ...[...text.matchAll(/docs\/[\w/-]+\.md/g)].map(([target]) => ({ file, target })),
    ...[...text.matchAll(/decision "([\w-]+)"/g)].map(([, name]) => ({
      file,
      target: `docs/decisions/${name}.md`,
    })),
  ]);

  it('is found at all', () => {
    expect(references.length).toBeGreaterThan(5);
  });

  it('is there', () => {
    const broken = references.filter(({ target }) => !existsSync(path.join(repository, target)));
    expect(broken.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
  });
});

describe('docs/decisions', () => {
  const pages = documents.filter(({ path: file }) => /^docs\/decisions\/(?!README)/.test(file));

  it.each(pages.map((page) => [page.path, page] as const))('%s has the five parts', (_file, page) => {
    expect(
      headingsOf(page)
        .filter(({ level }) => level === 2)
        .map(({ text }) => text),
    ).toEqual(['Question', 'Options', 'Choice', 'Why', 'Consequences']);
  });
});

describe('docs/providers', () => {
  const pages = documents.filter(({ path: file }) => file.startsWith('docs/providers/'));

  it.each(pages.map((page) => [page.path, page] as const))('%s has the same headings', (_file, page) => {
    expect(
      headingsOf(page)
        .filter(({ level }) => level === 2)
        .map(({ text }) => text),
    ).toEqual([
      'What it does',
      'Configure',
      'Use over HTTP',
      'Use from code',
      'Errors',
      'Limits',
      'Security notes',
    ]);
  });
});

describe('docs/errors.md', () => {
  const page = documentAt('docs/errors.md');

  it('has a heading for every code, and for nothing else', () => {
    const headings = headingsOf(page).filter(({ level }) => level === 3);
    expect(headings.map(({ text }) => text)).toEqual(codes);
  });

  it.each(codes)('lists the status, the class and the message of %s', (code) => {
    const section = sectionOf(page, code) ?? '';
    expect(section).toContain(`HTTP ${errorCodes[code].status}`);
    const className = classOf(code);
    expect(section).toContain(`\`${className}\``);
    expect(section).toContain(errorCodes[code].message.replace(/:$/, ''));
  });

  /** `CodeInvalidError` for `code_invalid`. */
  function classOf(code: string): string | undefined {
    const text = read('src/errors/catalog.ts');
    return new RegExp(`class (\\w+) extends errorWith\\('${code}'\\)`).exec(text)?.[1];
  }
});

describe('docs/http-api.md', () => {
  const routes = listRoutes().flatMap(({ method, path: route, redirects }) => [
    `${method.toUpperCase()} ${route}`,
    ...(redirects ? [`HEAD ${route}`] : []),
  ]);

  it('is compared with all routes', () => {
    expect(routes.length).toBeGreaterThanOrEqual(55);
  });

  it.each(routes)('has an item for %s', (route) => {
    expect(documentAt('docs/http-api.md').text).toMatch(new RegExp(`^- .*\`${route}\``, 'm'));
  });

  const listed = listRoutes()
    .filter(({ pro, action, response }) => (pro || action) && response)
    .map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const);

  it.each(listed)(
    'has an item for %s among the Pro or admin routes, with its access level',
    (name, route) => {
      const { access, action, pro } = route;
      const title = action ? 'Admin routes' : 'Pro routes';
      const section = sectionOf(documentAt('docs/http-api.md'), title) ?? '';
      const [, rest = ''] = section.split(`\n- \`${name}\` (`);
      const [about = ''] = rest.split('): ');
      const [first = '', ...others] = about.split(', ');
      if (action) expect(first).toBe(`\`${action}\``);
      const who = (first.startsWith('`') ? others : [first, ...others]).join(', ');
      const expected = {
        open: /^anyone/,
        session: /^(?!anyone|.*recent)./,
        'no-impersonation': /^no impersonation/,
        recent: /recent/,
      };
      expect(who).toMatch(expected[access]);
      if (action) expect(who.endsWith(', Pro')).toBe(pro);
    },
  );
});

describe('docs/programmatic-api.md', () => {
  const page = documentAt('docs/programmatic-api.md');
  const membersOf = (type: { prototype: object }) =>
    Object.getOwnPropertyNames(type.prototype).filter((name) => name !== 'constructor');

  // Private to the class, which only its types know.
  const inside = new Set(['free', 'pro', 'requireLicense']);

  it.each(membersOf(Service).filter((name) => !inside.has(name)))(
    'has a heading or a row for service.%s',
    (name) => {
      const rows = page.text
        .split('\n')
        .filter((line) => new RegExp(`^(### |- \`)service\\.${name}\\b`).test(line));
      expect(rows).toHaveLength(1);
    },
  );

  it.each([
    ['emailCode', EmailCodeProvider, ['sendCode', 'verify', 'sendUpgradeCode', 'upgradeGuest']],
    ['magicLink', MagicLinkProvider, ['sendLink', 'verify']],
    [
      'emailPassword',
      EmailPasswordProvider,
      ['signup', 'login', 'requestReset', 'createReset', 'setPassword', 'changePassword', 'upgradeGuest'],
    ],
    ['google', GoogleProvider, ['getAuthUrl', 'handleCallback', 'startRedirect', 'finishRedirect']],
    [
      'oauth',
      OAuthProvider,
      ['getAuthUrl', 'handleCallback', 'linkIdentity', 'startRedirect', 'startLink', 'finishRedirect'],
    ],
    [
      'sessionsProvider',
      SessionsProvider,
      [
        'create',
        'listDevices',
        'revokeDevice',
        'revoke',
        'revokeAll',
        'createGuest',
        'isGuest',
        'upgrade',
        'impersonate',
      ],
    ],
    ['identities', IdentitiesProvider, ['list', 'unlink']],
    ['refresh', RefreshProvider, ['issue', 'refresh', 'revoke', 'revokeAllForUser']],
    ['apiKeys', ApiKeysProvider, ['create', 'verify', 'list', 'revoke']],
    [
      'orgs',
      OrgsProvider,
      [
        'create',
        'get',
        'listForUser',
        'listMembers',
        'roleOf',
        'assertRole',
        'invite',
        'acceptInvite',
        'addMember',
        'setRole',
        'removeMember',
        'delete',
      ],
    ],
    [
      'account',
      AccountProvider,
      [
        'summary',
        'sendVerification',
        'verifyEmail',
        'requestEmailChange',
        'confirmEmailChange',
        'exportData',
        'deleteUser',
        'registerUserData',
      ],
    ],
  ] as const)('has every method of %s', (name, type, methods) => {
    expect(membersOf(type as never)).toEqual(expect.arrayContaining([...methods]));
    for (const method of methods) expect(page.text).toContain(`\`${name}.${method}(`);
  });

  it('or docs/errors.md names every export of src/index.ts, src/token.ts, src/server.ts, src/admin.ts and testing/index.ts', () => {
    const text = page.text + documentAt('docs/errors.md').text;
    const exported = [
      'src/index.ts',
      'src/token.ts',
      'src/server.ts',
      'src/admin.ts',
      'testing/index.ts',
    ].flatMap(exportsOf);
    expect(exported.length).toBeGreaterThan(60);
    expect(exported.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });

  it('and docs/client.md every export of src/client.ts', () => {
    const { text } = documentAt('docs/client.md');
    const exported = exportsOf('src/client.ts');
    expect(exported.length).toBeGreaterThan(20);
    expect(exported.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });

  function exportsOf(file: string): string[] {
    const { syntax } = parseSource(file, read(file));
    return syntax.statements.filter(ts.isExportDeclaration).flatMap((statement) => {
      const { exportClause, moduleSpecifier } = statement;
      if (exportClause && ts.isNamedExports(exportClause))
        return exportClause.elements.map((element) => element.name.text);
      const from = `src/${(moduleSpecifier as ts.StringLiteral).text.replace(/^\.\/|\.js$/g, '')}.ts`;
      const declared = [...read(from).matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(
        ([, name]) => name!,
      );
      return [...declared, ...exportsOf(from)];
    });
  }
});

describe('The tags of tests', () => {
  it('are explained in docs/security.md and docs/security-requirements.md', () => {
    const folder = path.join(repository, 'tests');
    const files = filesBelow(folder, /\.ts$/);
    const ids = [...new Set(files.flatMap((file) => tagsIn(readFileSync(path.join(folder, file), 'utf8'))))];
    expect(ids.length).toBeGreaterThan(50);
    const text = documentAt('docs/security.md').text + documentAt('docs/security-requirements.md').text;
    expect(ids.filter((id) => !text.includes(`| ${id} |`))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const { text } = documentAt('docs/architecture.md');

  it('explains every runtime dependency in a line', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    const explained = (name: string) => text.split('\n').some((line) => line.startsWith(`| \`${name}\` |`));
    expect(Object.keys(dependencies).filter((name) => !explained(name))).toEqual([]);
  });

  it('has every folder of src', () => {
    const folders = readdirSync(path.join(repository, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect(folders.filter((folder) => !text.includes(`\`${folder}\``))).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  it('says what each npm script does', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const { text } = documentAt('CONTRIBUTING.md');
    const row = (name: string) => (['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`);
    const own = Object.keys(scripts).filter((name) => !/^(pre|post)/.test(name));
    expect(own.filter((name) => !text.includes(`| \`${row(name)}\` |`))).toEqual([]);
  });
});

describe('The reader of documents', () => {
  const page = parseDocument(
    'docs/a/b.md',
    '# A `b`, c\n[x](../c.md#d-e) [y](https://x.test) [z](#a-b-c)\n```ts nocheck\n[no](no.md)\n```\n## D\ntext\n# E\n',
  );

  it('finds links, headings, anchors, sections and fences', () => {
    expect(linksOf(page)).toEqual([
      { document: 'docs/a/b.md', target: 'docs/c.md', anchor: 'd-e' },
      { document: 'docs/a/b.md', target: 'docs/a/b.md', anchor: 'a-b-c' },
    ]);
    expect(anchorsOf(page)).toEqual(['a-b-c', 'd', 'e']);
    expect(sectionOf(page, 'D')).toBe('text');
    expect(page.fences).toMatchObject([{ line: 4, info: 'ts nocheck', code: '[no](no.md)\n' }]);
  });

  it('refuses a fence that is never closed', () => {
    expect(() => parseDocument('a.md', '```ts\n')).toThrow('never closed');
  });
});

describe('The pages that list things', () => {
  it('name every template on docs/senders.md', () => {
    const options = [...read('docs/configuration.md').matchAll(/^\| `providers\.(\w+\.\w*[tT]emplate)`/gm)];
    const missing = options
      .map(([, name]) => name!)
      .filter((name) => !read('docs/senders.md').includes(`\`${name}\``));
    expect(options.length).toBeGreaterThan(5);
    expect(missing).toEqual([]);
  });

  it('name everything that needs a license on docs/license.md', () => {
    const accessors = [...read('docs/programmatic-api.md').matchAll(/^### service\.(\w+)[^\n]*\n\n(.*)/gm)];
    const pro = accessors.filter(([, , text]) => /^Pro\b/.test(text!)).map(([, name]) => name!);
    expect(pro.length).toBeGreaterThan(8);
    expect(pro.filter((name) => !read('docs/license.md').includes(`\`${name}\``))).toEqual([]);
  });

  it('name every reserved provider name on docs/configuration.md', () => {
    expect(reserved.filter((name) => !read('docs/configuration.md').includes(`\`${name}\``))).toEqual([]);
  });

  it('install every package that the example imports, with its types', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: object };
    const readme = read('example-app/README.md');
    const installed = [...readme.matchAll(/npm install (.*)/g)].flatMap(([, line]) => line!.split(/\s+/));
    // The example for NestJS has its own packages.
    const files = readSource('example-app').filter((file) => !file.path.startsWith('nestjs/'));
    const imported = files.flatMap(({ imports }) => imports);
    const packages = imported
      .filter(({ external, to }) => external && !to.startsWith('node:') && !to.startsWith('svc-auth'))
      .map(({ to }) => to);
    const needed = [...new Set(packages)].flatMap((name) =>
      `@types/${name}` in devDependencies ? [name, `@types/${name}`] : [name],
    );
    expect(needed).toContain('@types/oidc-provider');
    expect(needed.filter((name) => !installed.includes(name))).toEqual([]);
  });

  it('show no failureRedirect that drops the code of the error', () => {
    const fences = documents.flatMap((document) => document.fences);
    expect(fences.filter(({ code }) => /failureRedirect: ['"`]/.test(code))).toEqual([]);
  });
});
