// The tarball as users get it: built, packed and unpacked into a project outside this repository, then used from an
// ES module, from CommonJS and from strict TypeScript. Needs neither a previous build nor network access.
import { readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import jsonwebtoken from 'jsonwebtoken';
import { readLibrary } from '../architecture/source-graph.js';
import { Consumer } from './consumer.js';
import { exportEveryMethod } from './exported-methods.js';
import { otherTypes, usedWith } from './other-types.js';
import { signedIn, signIn, typed } from './programs.js';

const minutes = 60_000;
const consumer = new Consumer();

beforeAll(
  () =>
    consumer.install([
      'express',
      '@types/express',
      '@types/node',
      '@nestjs/common',
      'reflect-metadata',
      'rxjs',
    ]),
  6 * minutes,
);
afterAll(() => consumer.remove());

/** What an application imports, after the name of the package. */
const parts = [
  '',
  '/token',
  '/client',
  '/server',
  '/admin',
  '/pages',
  '/redis',
  '/moving',
  '/oauth-server',
  '/nestjs',
  '/testing',
];
const fileOf = (part: string) => (part === '/testing' ? 'testing/index' : `src/${part.slice(1) || 'index'}`);

describe('The packed tarball', () => {
  it('contains the builds, their types with the sources that they name, the documentation and five files, and no tests or configuration', () => {
    const files = consumer.contents();
    const topLevel = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'];
    const isDocumentation = (file: string) => /^docs\/(.*\.md|images\/[\w-]+\.png)$/.test(file);
    const isSource = (file: string) => /^src\/(?!pages\/|admin\/|cli\/).*\.ts$/.test(file);
    expect(
      files.filter((file) => !file.startsWith('dist/') && !isDocumentation(file) && !isSource(file)),
    ).toEqual(topLevel);
    expect(files).toEqual(
      expect.arrayContaining(['docs/README.md', 'docs/providers/oauth.md', 'src/config/schema.ts']),
    );
    for (const entry of parts.map(fileOf)) {
      const builds = ['.js', '.mjs', '.d.ts', '.d.mts'].map((ending) =>
        path.posix.join('dist', entry + ending),
      );
      expect(files).toEqual(expect.arrayContaining(builds));
    }
  });

  it('contains every file that its README links to', () => {
    const text = readFileSync(path.join(consumer.packed, 'README.md'), 'utf8');
    const targets = [...text.matchAll(/\]\(([^)#\s]+)|\bsrc="([^"]+)"/g)].map(
      ([, link, image]) => link ?? image!,
    );
    const relative = targets.filter((target) => !/^[a-z]+:/.test(target));
    expect(relative.length).toBeGreaterThan(20);
    const files = consumer.contents();
    expect(relative.filter((target) => !files.includes(target))).toEqual([]);
  });

  it('names every database in its description', () => {
    const { description, keywords } = consumer.manifest;
    const names = ['PostgreSQL', 'MariaDB', 'MySQL', 'SQLite'];
    for (const name of names) expect(description).toContain(name);
    expect(keywords).toEqual(expect.arrayContaining(names.map((name) => name.toLowerCase())));
  });

  it('has a file of code and a declaration for each source, and weighs less than 15 MB', () => {
    const files = consumer.contents();
    const bytes = files.map((file) => statSync(path.join(consumer.packed, file)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(15_000_000);
    const sources = readLibrary().map((file) => file.path.replace(/^(?!testing\/)/, 'src/'));
    const built = sources
      .filter((file) => !file.endsWith('.d.cts'))
      .flatMap((file) => ['.js', '.d.ts'].map((ending) => `dist/${file.replace(/\.ts$/, ending)}`));
    expect(files).toEqual(expect.arrayContaining(built));
  });

  it('imports only packages that its manifest declares', () => {
    const { dependencies = {}, peerDependencies = {} } = consumer.manifest;
    const known = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), ...builtinModules]);
    // The command writes imports of the package into ejected templates.
    known.add('svc-auth');
    // @types/x declares x for the compiler.
    for (const name of [...known]) known.add(name.replace(/^@types\//, ''));
    const unknown = consumer
      .contents()
      .filter((file) => /\.(m?js|cjs|d\.m?ts|d\.cts)$/.test(file))
      .flatMap((file) => {
        // Rollup splits the name of this module of Node.js, so that bundlers for browsers do not follow it.
        const text = readFileSync(path.join(consumer.packed, file), 'utf8').replaceAll(`'u' + 'rl'`, `'url'`);
        const loads = text.matchAll(
          /(?:\bfrom|\bimport|\b(?:require\d*|import) ?\() ?["']([^"'.\s\\][^"'\s]*)["']/g,
        );
        return [...loads].map(([, specifier = '']) => `${file}: ${specifier}`);
      })
      .filter((line) => {
        const specifier = line.split(': ')[1] ?? '';
        const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';
        return !specifier.startsWith('node:') && !known.has(name);
      });
    expect(unknown).toEqual([]);
  });
});

describe('A project that installs the tarball', () => {
  it(
    'signs a user in from an ES module',
    async () => {
      const imports = `
        import express from 'express';
        import { createService, createAuthRouter, requireSession, memoryAdapter } from 'svc-auth';
        import { verifyToken } from 'svc-auth/token';
        import { outbox } from 'svc-auth/testing';`;
      consumer.write('sign-in.mjs', imports + signIn);
      const output = await consumer.run('sign-in.mjs');
      expect(output.stderr).toBe('');
      expect(JSON.parse(output.stdout)).toEqual(signedIn);
    },
    minutes,
  );

  it.each(['module', 'commonjs'])(
    'ejects templates of the pages as JavaScript that runs and has types, in a package of type %s',
    async (type) => {
      const load = type === 'module' ? `await import('./auth-pages/index.js')` : `require('./auth-pages')`;
      consumer.writeProject(type, {
        'package.json': JSON.stringify({ type }),
        'jsconfig.json': JSON.stringify({
          compilerOptions: {
            allowJs: true,
            checkJs: true,
            noEmit: true,
            strict: true,
            noImplicitAny: false,
            module: 'nodenext',
          },
          include: ['auth-pages'],
        }),
        'list.js': `${type === 'module' ? '' : '(async () => {'}
          const { templates } = ${load};
          console.log(Object.values(templates).filter((each) => typeof each === 'function').length);
          ${type === 'module' ? '' : '})();'}`,
      });
      const ejected = await consumer.command(type, ['pages', 'eject']);
      expect(ejected).toMatchObject({ code: 0, stderr: '' });
      expect((await consumer.run(`${type}/list.js`)).stdout).toBe('44\n');
      expect(await consumer.compile(`${type}/jsconfig.json`)).toMatchObject({ code: 0, stdout: '' });
    },
    minutes,
  );

  it(
    'has the same functions and classes in ES modules and in CommonJS',
    async () => {
      // Browsers bundle the client: it has a build for each.
      const shared = parts.filter((part) => part !== '/client');
      consumer.write(
        'both.mjs',
        `import { createRequire } from 'node:module';
         const required = createRequire(import.meta.url);
         for (const part of ${JSON.stringify(shared)}) {
           const [one, other] = [await import('svc-auth' + part), required('svc-auth' + part)];
           const names = Object.keys({ ...one, ...other });
           console.log(part, names.length > 0, names.filter((name) => one[name] !== other[name]).join());
         }`,
      );
      const same = shared.map((part) => `${part} true \n`);
      expect(await consumer.run('both.mjs')).toEqual({ code: 0, stdout: same.join(''), stderr: '' });
    },
    minutes,
  );

  it(
    'signs a user in from CommonJS',
    async () => {
      const imports = `
        const express = require('express');
        const { createService, createAuthRouter, requireSession, memoryAdapter } = require('svc-auth');
        const { verifyToken } = require('svc-auth/token');
        const { outbox } = require('svc-auth/testing');`;
      consumer.write('sign-in.cjs', imports + signIn);
      const output = await consumer.run('sign-in.cjs');
      expect(output.stderr).toBe('');
      expect(JSON.parse(output.stdout)).toEqual(signedIn);
    },
    minutes,
  );

  it.each([
    ['an ES module', 'mts'],
    ['CommonJS', 'cts'],
  ])(
    'compiles in strict TypeScript with declarations as %s',
    async (_kind, ending) => {
      consumer.write(`typed.${ending}`, typed);
      const compilerOptions = {
        module: 'NodeNext',
        target: 'ES2022',
        lib: ['ES2022'],
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        declaration: true,
        esModuleInterop: true,
        skipLibCheck: false,
        outDir: `out-${ending}`,
      };
      consumer.write(
        `tsconfig.${ending}.json`,
        JSON.stringify({ compilerOptions, files: [`typed.${ending}`] }),
      );
      expect(await consumer.compile(`tsconfig.${ending}.json`)).toEqual({ code: 0, stdout: '', stderr: '' });
    },
    2 * minutes,
  );

  it.each(parts)(
    'can name the type of every function and method in a declaration: svc-auth%s',
    async (part) => {
      const declarations = path.join(consumer.packed, `dist/${fileOf(part)}.d.ts`);
      const text = exportEveryMethod(`svc-auth${part}`, declarations);
      expect(text.split('\n').length).toBeGreaterThan(1);
      const file = `methods${part.replace('/', '-')}`;
      consumer.write(`${file}.mts`, text);
      const compilerOptions = {
        module: 'NodeNext',
        target: 'ES2022',
        lib: ['ES2022'],
        types: ['node'],
        strict: true,
        declaration: true,
        skipLibCheck: true,
        outDir: `out-${file}`,
      };
      consumer.write(`tsconfig.${file}.json`, JSON.stringify({ compilerOptions, files: [`${file}.mts`] }));
      expect(await consumer.compile(`tsconfig.${file}.json`)).toEqual({ code: 0, stdout: '', stderr: '' });
    },
    2 * minutes,
  );

  it.each(['mts', 'cts'])(
    'compiles svc-auth/client and svc-auth/token without the types of browsers and of Node.js (%s)',
    async (ending) => {
      consumer.write(
        `plain.${ending}`,
        `import { createClient, type Fetch } from 'svc-auth/client';
         import { verifyToken } from 'svc-auth/token';
         declare const fetch: Fetch;
         export const client = createClient({ baseUrl: '/api/auth', fetch });
         export const signIn = (signal: { aborted: boolean }) => client.passkeys.authenticate({ signal });
         export const subject = (token: string) => verifyToken(token, 'secret').sub;`,
      );
      const compilerOptions = {
        module: 'NodeNext',
        target: 'ES2022',
        lib: ['ES2022'],
        types: [],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
      };
      consumer.write(
        `tsconfig.plain-${ending}.json`,
        JSON.stringify({ compilerOptions, files: [`plain.${ending}`] }),
      );
      expect(await consumer.compile(`tsconfig.plain-${ending}.json`)).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      });
    },
    2 * minutes,
  );

  it.each(otherTypes.map((other) => [other.name, other] as const))(
    'compiles next to the Express types of %s, with skipLibCheck off',
    async (name, other) => {
      consumer.writePackage(name, other.declarations);
      const file = name.replaceAll(/\W/g, '-');
      consumer.write(`${file}.mts`, usedWith(other));
      const compilerOptions = {
        module: 'NodeNext',
        target: 'ES2022',
        lib: ['ES2022'],
        types: ['node'],
        strict: true,
        noEmit: true,
        esModuleInterop: true,
        skipLibCheck: false,
      };
      consumer.write(`tsconfig.${file}.json`, JSON.stringify({ compilerOptions, files: [`${file}.mts`] }));
      expect(await consumer.compile(`tsconfig.${file}.json`)).toEqual({ code: 0, stdout: '', stderr: '' });
    },
    2 * minutes,
  );

  it(
    'compiles with the module resolution of older tsconfigs, including sub-paths',
    async () => {
      consumer.write('legacy.ts', typed);
      const compilerOptions = {
        module: 'CommonJS',
        moduleResolution: 'Node10',
        target: 'ES2022',
        types: ['node'],
        strict: true,
        noEmit: true,
        esModuleInterop: true,
        // Third-party packages do not support this resolution.
        skipLibCheck: true,
      };
      consumer.write('tsconfig.legacy.json', JSON.stringify({ compilerOptions, files: ['legacy.ts'] }));
      expect(await consumer.compile('tsconfig.legacy.json')).toEqual({ code: 0, stdout: '', stderr: '' });
    },
    2 * minutes,
  );
});

describe('A project that installs only the dependencies', () => {
  const optional = [
    ['phoneOtp', 'libphonenumber-js', '{ sender: consoleSmsSender(), allowCountry: () => true }'],
    ['totp', 'otpauth', 'true'],
    ['webauthn', '@simplewebauthn/server', `{ rpId: 'acme.test', origins: ['https://acme.test'] }`],
  ] as const;
  const construct = (provider: string, options: string) => `
    import { consoleSmsSender, createService, memoryAdapter } from 'svc-auth';
    try {
      createService({
        adapter: memoryAdapter(),
        session: { secret: 'a secret of the packaging test, 32 bytes or more' },
        encryptionKey: 'an encryption key of the packaging test',
        providers: { ${provider}: ${options} },
      });
      console.log('constructed');
    } catch (error) { console.log(JSON.stringify({ code: error.code, faults: error.faults })); }`;

  it.each(optional)(
    'throws config_invalid with the command that installs the package of %s: %s',
    async (provider, name, options) => {
      consumer.write('optional.mjs', construct(provider, options));
      const expected = {
        code: 'config_invalid',
        faults: [
          { path: `providers.${provider}`, message: `needs the package ${name}: npm install ${name}` },
        ],
      };
      expect(JSON.parse((await consumer.run('optional.mjs')).stdout)).toEqual(expected);
      const bundled = await consumer.runBundled('optional.mjs', 'cjs', ['bcrypt', 'knex', 'knex-pglite']);
      expect(JSON.parse(bundled.stdout)).toEqual(expected);
    },
    minutes,
  );

  it.each(optional)(
    'constructs a service with %s after the installation of %s, without loading it',
    async (provider, name, options) => {
      consumer.addPackages([name]);
      try {
        consumer.write('optional.mjs', construct(provider, options));
        expect((await consumer.run('optional.mjs')).stdout).toContain('constructed');
        expect(await consumer.packagesLoadedBy('optional.mjs')).not.toContain(name);
        const bundled = await consumer.runBundled('optional.mjs', 'esm', ['bcrypt', 'knex', 'knex-pglite']);
        expect(bundled.stdout).toContain('constructed');
      } finally {
        consumer.removePackage(name);
      }
    },
    minutes,
  );
});

describe('An application that is bundled with esbuild into one file', () => {
  // A native addon, and packages that import the drivers of every database.
  const outside = ['bcrypt', 'knex', 'knex-pglite'];

  it.each(['esm', 'cjs'] as const)(
    'signs a user in over HTTP without any installed package (%s)',
    async (format) => {
      consumer.write(
        'bundled.mjs',
        `import express from 'express';
         import { createAuthRouter, createService, memoryAdapter, requireSession } from 'svc-auth';
         import { outbox } from 'svc-auth/testing';
         import { verifyToken } from 'svc-auth/token';
         ${signIn}`,
      );
      const output = await consumer.runBundled('bundled.mjs', format, outside);
      expect(output.stderr).toBe('');
      expect(JSON.parse(output.stdout)).toEqual(signedIn);
    },
    minutes,
  );

  it('throws an error that names the package missing from the bundle', async () => {
    consumer.write(
      'lacking.mjs',
      `import { createService, memoryAdapter } from 'svc-auth';
       const service = createService({ adapter: memoryAdapter(), session: { secret: 'x' } });
       try { service.createSessionToken('ada'); }
       catch (error) { console.log(error.code, error.message); }`,
    );
    const output = await consumer.runBundled('lacking.mjs', 'cjs', [...outside, 'jsonwebtoken']);
    expect(output.stdout).toMatch(/^internal_error .*"jsonwebtoken"/);
  });

  it.each(['esm', 'cjs'] as const)(
    'verifies a session token with svc-auth/token alone, without external packages (%s)',
    async (format) => {
      const secret = 'a secret of the packaging test, 32 bytes or more';
      const token = jsonwebtoken.sign({ sub: 'ada', use: 'session' }, secret, { expiresIn: 60 });
      consumer.write(
        'bundled-token.mjs',
        `import { verifyToken } from 'svc-auth/token';
         console.log(verifyToken('${token}', '${secret}').sub);
         try { verifyToken('${token}', 'another secret'); } catch (error) { console.log(error.code); }`,
      );
      const output = await consumer.runBundled('bundled-token.mjs', format);
      expect([output.stderr, output.stdout]).toEqual(['', 'ada\ntoken_invalid\n']);
    },
    minutes,
  );
});

describe('The import of an entry point', () => {
  /** The languages of mails and pages, except English, among the files of the build. */
  const languagesOf = (scripts: string[]) => {
    const names = scripts.map(
      (url) => /\/svc-auth\/dist\/src\/.*\/texts\/([a-z]{2}(?:-[A-Z][a-z]+)?)[/.]/.exec(url)?.[1],
    );
    return [...new Set(names.filter((name) => name !== undefined && name !== 'en'))];
  };
  const load = (ending: string, ...packages: string[]) =>
    packages.map((name) => (ending === 'mjs' ? `import '${name}';` : `require('${name}');`)).join('\n');

  it.each(['mjs', 'cjs'])(
    'svc-auth loads no database, web framework, mail, OpenID or bcrypt code (%s)',
    async (ending) => {
      consumer.write(`import-index.${ending}`, load(ending, 'svc-auth'));
      const loaded = await consumer.packagesLoadedBy(`import-index.${ending}`);
      expect(loaded).toContain('svc-auth');
      const heavy = [
        'express',
        'knex',
        'pg',
        'nodemailer',
        'openid-client',
        'bcrypt',
        '@electric-sql/pglite',
      ];
      expect(loaded.filter((name) => heavy.includes(name))).toEqual([]);
    },
    minutes,
  );

  const bind = (ending: string, names: string) =>
    ending === 'mjs' ? `import { ${names} } from 'svc-auth';` : `const { ${names} } = require('svc-auth');`;

  it.each(['mjs', 'cjs'])(
    'svc-auth exports the classes of the services and errors that it creates (%s)',
    async (ending) => {
      consumer.write(
        `first-service.${ending}`,
        `${bind(ending, 'ConfigError, createAuthRouter, createService, memoryAdapter, Service')}
         const session = { secret: 'a secret of the packaging test, 32 bytes or more' };
         const service = createService({ adapter: memoryAdapter(), session });
         createAuthRouter(service);
         try { createService({}); } catch (error) { console.log(service instanceof Service, error instanceof ConfigError); }`,
      );
      const { stdout } = await consumer.run(`first-service.${ending}`);
      expect(stdout).toBe('true true\n');
    },
    minutes,
  );

  it.each(['mjs', 'cjs'])(
    'svc-auth/token verifies a token without knex, express or bcrypt (%s)',
    async (ending) => {
      const script =
        ending === 'mjs'
          ? `import { verifyToken } from 'svc-auth/token';`
          : `const { verifyToken } = require('svc-auth/token');`;
      const use = `try { verifyToken('not.a.token', 'x'.repeat(32)); process.exitCode = 1; } catch (error) {
        if (error.code !== 'token_invalid') throw error;
      }`;
      consumer.write(`import-token.${ending}`, `${script}\n${use}`);
      const loaded = await consumer.packagesLoadedBy(`import-token.${ending}`);
      expect(loaded).toContain('svc-auth');
      const heavy = ['knex', 'pg', 'express', 'bcrypt', 'nodemailer', 'openid-client'];
      expect(loaded.filter((name) => heavy.includes(name))).toEqual([]);
    },
    minutes,
  );

  it.each(['mjs', 'js'])(
    'svc-auth does not load the pages of svc-auth/admin and svc-auth/pages (%s)',
    (ending) => {
      const loadsPages = (entry: string) =>
        consumer.codeOf(`src/${entry}.${ending}`).some((text) => text.includes('class="skip"'));
      expect(['index', 'admin', 'pages', 'server'].filter(loadsPages)).toEqual(['admin', 'pages']);
    },
  );

  it.each(['mjs', 'cjs'])(
    'svc-auth and svc-auth/pages load no language before a page is in it (%s)',
    async (ending) => {
      consumer.write(`languages.${ending}`, load(ending, 'svc-auth', 'svc-auth/pages'));
      const scripts = await consumer.scriptsLoadedBy(`languages.${ending}`);
      expect(languagesOf(scripts)).toEqual([]);
    },
    minutes,
  );

  it.each(['mjs', 'cjs'])(
    'svc-auth/admin and svc-auth/pages show a page to a visitor, and load only the language of the visitor (%s)',
    async (ending) => {
      const imports =
        ending === 'mjs'
          ? `import express from 'express';
             import { createService, memoryAdapter } from 'svc-auth';
             import { createAdminPages } from 'svc-auth/admin';
             import { createPages } from 'svc-auth/pages';`
          : `const express = require('express');
             const { createService, memoryAdapter } = require('svc-auth');
             const { createAdminPages } = require('svc-auth/admin');
             const { createPages } = require('svc-auth/pages');`;
      consumer.write(
        `admin.${ending}`,
        `${imports}
         const session = { secret: 'a secret of the packaging test, 32 bytes or more' };
         const sender = { send: async () => {} };
         const service = createService({ adapter: memoryAdapter(), session, providers: { emailCode: { sender } } });
         const app = express();
         app.use('/admin', createAdminPages(service, { authorize: () => true }));
         app.use(createPages(service, { name: 'Acme' }));
         const server = app.listen(0, '127.0.0.1', async () => {
           for (const path of ['/admin/users', '/sign-in']) {
             const headers = { 'accept-language': 'fr', connection: 'close' };
             const page = await fetch('http://127.0.0.1:' + server.address().port + path, { headers });
             console.log(page.status, /<html lang="(.*?)"/.exec(await page.text())[1]);
           }
           server.close();
         });`,
      );
      expect(await consumer.run(`admin.${ending}`)).toMatchObject({
        stdout: '401 fr\n200 fr\n',
        stderr: '',
      });
      expect(languagesOf(await consumer.scriptsLoadedBy(`admin.${ending}`))).toEqual(['fr']);
    },
    minutes,
  );

  it.each(['mjs', 'cjs'])(
    'svc-auth/client calls a route without any other package (%s)',
    async (ending) => {
      const script =
        ending === 'mjs'
          ? `import { createClient } from 'svc-auth/client';`
          : `const { createClient } = require('svc-auth/client');`;
      const use = `createClient({ baseUrl: 'http://127.0.0.1:1' }).logout().then(
        () => { process.exitCode = 1; },
        (error) => { if (error.code !== 'network_error') throw error; },
      );`;
      consumer.write(`import-client.${ending}`, `${script}\n${use}`);
      expect(await consumer.packagesLoadedBy(`import-client.${ending}`)).toEqual(['svc-auth']);
    },
    minutes,
  );

  it.each(['mjs', 'js'])('svc-auth/token and svc-auth/client load no zod code (%s)', (ending) => {
    const loadsZod = (entry: string) =>
      consumer.codeOf(`${entry}.${ending}`).some((text) => text.includes('require("zod")'));
    const entries = ['src/index', 'src/token', 'src/client', 'src/server', 'src/redis'];
    expect(entries.filter(loadsZod)).toEqual(['src/index']);
  });

  it('svc-auth/client is built for browsers, without modules of Node or server code', () => {
    const text = readFileSync(path.join(consumer.packed, 'dist/src/client.mjs'), 'utf8');
    const loaded = [...text.matchAll(/\b(?:from|import) ?\(?["']([^"']+)["']/g)].map(([, name]) => name);
    // Each of them is optional and loaded at its first use.
    expect(loaded).toEqual([
      '@simplewebauthn/browser',
      'altcha-lib',
      'altcha-lib/algorithms/web/pbkdf2',
      '@zxcvbn-ts/core',
      '@zxcvbn-ts/language-common',
    ]);
    expect(text).not.toMatch(/\b(?:process|Buffer|__dirname|require)\b/);
  });

  it.each(['mjs', 'cjs'])(
    'is measured by a method that detects loaded packages (%s)',
    async (ending) => {
      const heavy = ['express', 'knex', 'nodemailer', 'bcrypt'];
      const lazily = `\nimport('openid-client');`;
      consumer.write(`control.${ending}`, load(ending, ...heavy) + lazily);
      const loaded = await consumer.packagesLoadedBy(`control.${ending}`);
      expect(loaded).toEqual(expect.arrayContaining([...heavy, 'openid-client']));
    },
    minutes,
  );
});
