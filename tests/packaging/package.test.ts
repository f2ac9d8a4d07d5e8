// The tarball as users get it: built, packed and unpacked into a project outside this repository, then used from an
// ES module, from CommonJS and from strict TypeScript. Needs neither a previous build nor network access.
import { readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import jsonwebtoken from 'jsonwebtoken';
import { Consumer } from './consumer.js';
import { otherTypes, usedWith } from './other-types.js';

const minutes = 60_000;
const consumer = new Consumer();

beforeAll(() => consumer.install(['express', '@types/express', '@types/node']), 6 * minutes);
afterAll(() => consumer.remove());

/** A whole sign-in, in JavaScript that both module systems can run after their imports. */
const signIn = `
const secret = 'a secret of the packaging test, 32 bytes or more';
async function main() {
  const sender = outbox();
  const service = createService({
    adapter: memoryAdapter(), session: { secret }, appName: 'Packed', providers: { emailCode: { sender } },
  });
  await service.init();
  const app = express();
  app.use('/api/auth', createAuthRouter(service));
  app.get('/me', requireSession(service), (req, res) => { res.json(req.user); });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const base = 'http://127.0.0.1:' + server.address().port;
  const post = (route, body) => fetch(base + '/api/auth' + route, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  });
  const email = 'ada@example.com';
  const sent = await post('/email-code/send', { email });
  const verified = await post('/email-code/verify', { email, code: sender.lastCode(email) });
  const { user } = await verified.json();
  const cookie = verified.headers.getSetCookie().map((each) => each.split(';')[0]).join('; ');
  const me = await (await fetch(base + '/me', { headers: { cookie } })).json();
  const claims = verifyToken(service.createSessionToken(user.id).token, secret);
  console.log(JSON.stringify({
    sent: sent.status, verified: verified.status, email: user.email, me: me.id === user.id, sub: claims.sub === user.id,
    anonymous: (await fetch(base + '/me')).status,
  }));
  server.close();
  server.closeAllConnections();
  await service.close();
}
main().catch((error) => { console.error(error); process.exit(1); });
`;
const signedIn = { sent: 200, verified: 200, email: 'ada@example.com', me: true, sub: true, anonymous: 401 };

/** An application that exports values whose types the compiler must be able to name in a .d.ts file. */
const typed = `
import express from 'express';
import {
  apple, createAuthRouter, createService, github, isServiceError, memoryAdapter, openapiDocument, requireSession,
} from 'svc-auth';
import type { EmailMessage, EmailSender, ServiceUser } from 'svc-auth';
import { createAdminPages, type Authorize } from 'svc-auth/admin';
import { AuthClientError, createClient, type AuthClient } from 'svc-auth/client';
import { expressServer } from 'svc-auth/server';
import { mockIdentityProvider, outbox } from 'svc-auth/testing';
import { verifyToken } from 'svc-auth/token';

export const mails = outbox();
export const sender: EmailSender = { send: async (message: EmailMessage) => mails.send(message) };
export const adapter = memoryAdapter();
export const service = createService({
  adapter,
  session: { secret: 'a secret of the packaging test, 32 bytes or more' },
  appName: 'Typed',
  providers: { emailCode: { sender } },
});
const registration = { clientId: 'id', redirectUri: 'https://app.test/callback' };
export const elsewhere = () => createService({
  adapter,
  session: { secret: process.env['SECRET'] },
  providers: {
    oauth: {
      github: { ...github(), ...registration, clientSecret: process.env['SECRET'] },
      apple: { ...apple({ teamId: 't', keyId: 'k', privateKey: 'p' }), ...registration },
      mapped: {
        ...registration,
        clientSecret: async () => 's',
        issuer: 'https://idp.test',
        mapProfile: (raw) => ({ id: String(raw['n']), emailVerified: raw['v'] === true }),
      },
    },
  },
});
export const identities = mockIdentityProvider;
export const router = createAuthRouter(service, { successRedirect: '/', failureRedirect: '/sign-in' });
export const authorize: Authorize = (user, action, target) => user.roles.includes(action) && target !== user.id;
export const adminPages = createAdminPages(service, { authorize, signInUrl: (returnTo) => '/in?next=' + returnTo });
export const guard = requireSession(service);
export const app = express();
app.use('/api/auth', router);
app.get('/me', guard, (req, res) => {
  const user: ServiceUser | undefined = req.user;
  res.json({ id: user?.id });
});
export const server = expressServer(app, { keepAliveTimeout: 65_000 });
export const secure = expressServer(app, { https: { key: 'k', cert: 'c' } });
export const client: AuthClient = createClient({ baseUrl: '/api/auth', fetch: (url, init) => fetch(url, init) });
export const other = createClient({ baseUrl: '/api/auth', headers: async () => ({ authorization: 'Bearer x' }) });
export const devices = () => other.devices.list();
export const signedInAt = async (): Promise<Date | undefined> => (await client.session()).user?.createdAt;
export const waitOf = (error: unknown) => (error instanceof AuthClientError ? error.retryAfterMs : undefined);
export const document = openapiDocument({ basePath: '/auth' });
export const subject = (token: string) => verifyToken(token, 'secret', { clockToleranceSec: 5 }).sub;
export const claims = (token: string) => verifyToken(token, 'secret');
export const userOf = (token: string) => service.getSessionUser(token);
export const send = (email: string) => service.emailCode.sendCode({ email });
export const codeOf = (error: unknown) => (isServiceError(error) ? error.code : undefined);

// @ts-expect-error an adapter is required: the options are not \`any\`
export const wrong = () => createService({ session: { secret: '' } });
`;

describe('The packed tarball', () => {
  it('contains the builds, their types, the documentation and four files, and no source, tests or configuration', () => {
    const files = consumer.contents();
    const topLevel = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
    const isDocumentation = (file: string) => /^docs\/(.*\.md|images\/[\w-]+\.png)$/.test(file);
    expect(files.filter((file) => !file.startsWith('dist/') && !isDocumentation(file))).toEqual(topLevel);
    expect(files).toEqual(expect.arrayContaining(['docs/README.md', 'docs/providers/oauth.md']));
    for (const entry of ['index', 'token', 'client', 'server', 'admin', 'pages', 'redis', 'testing']) {
      const builds = ['.js', '.cjs', '.d.ts', '.d.cts'].map((ending) => `dist/${entry}${ending}`);
      expect(files).toEqual(expect.arrayContaining(builds));
    }
  });

  it('weighs less than 10 MB, without source maps, locales of zod or its declarations', () => {
    const files = consumer.contents();
    const bytes = files.map((file) => statSync(path.join(consumer.packed, file)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(10_000_000);
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
    expect(files).toContain('dist/zod-LICENSE');
    const built = files.filter((file) => file.startsWith('dist/'));
    const texts = built.map((file) => readFileSync(path.join(consumer.packed, file), 'utf8'));
    expect(
      texts.filter((text) => text.includes('/zod/v4/locales/fr') || text.includes("from 'zod'")),
    ).toEqual([]);
  });

  it('describes the options of the configuration in its types, with their defaults', () => {
    const declarations = consumer.contents().filter((file) => /\.d\.c?ts$/.test(file));
    const texts = declarations.map((file) => readFileSync(path.join(consumer.packed, file), 'utf8'));
    const configurations = texts.filter((text) => text.includes('type ServiceConfig = {'));
    expect(configurations).not.toEqual([]);
    for (const text of configurations)
      expect(text).toMatch(/\/\*\* Lifetime of a session in milliseconds\. Default: .*\*\/\s+ttlMs\?:/);
  });

  it('imports only packages that its manifest declares', () => {
    const { dependencies = {}, peerDependencies = {} } = consumer.manifest;
    const known = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), ...builtinModules]);
    // @types/x declares x for the compiler.
    for (const name of [...known]) known.add(name.replace(/^@types\//, ''));
    const unknown = consumer
      .contents()
      .filter((file) => /\.(js|cjs|d\.ts|d\.cts)$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(path.join(consumer.packed, file), 'utf8');
        const loads = text.matchAll(
          /(?:\bfrom|\bimport|\b(?:require\d*|import) ?\() ?["']([^"'.\s][^"'\s]*)["']/g,
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
          compilerOptions: { allowJs: true, checkJs: true, noEmit: true, strict: true, module: 'nodenext' },
          include: ['auth-pages'],
        }),
        'list.js': `${type === 'module' ? '' : '(async () => {'}
          const { templates } = ${load};
          console.log(Object.values(templates).filter((each) => typeof each === 'function').length);
          ${type === 'module' ? '' : '})();'}`,
      });
      const ejected = await consumer.command(type, ['pages', 'eject']);
      expect(ejected).toMatchObject({ code: 0, stderr: '' });
      expect((await consumer.run(`${type}/list.js`)).stdout).toBe('30\n');
      expect(await consumer.compile(`${type}/jsconfig.json`)).toMatchObject({ code: 0, stdout: '' });
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

  it.each(['js', 'cjs'])(
    'svc-auth does not load the pages of svc-auth/admin and svc-auth/pages (%s)',
    (ending) => {
      const read = (file: string) => readFileSync(path.join(consumer.packed, 'dist', file), 'utf8');
      const loadsPages = (entry: string) => {
        const files = new Set([`${entry}.${ending}`]);
        for (const file of files)
          for (const [, next = ''] of read(file).matchAll(/(?:from |require\()'\.\/([^']+)'/g))
            files.add(next);
        return [...files].some((file) => read(file).includes('class="skip"'));
      };
      expect(['index', 'admin', 'pages', 'server', 'cli'].filter(loadsPages)).toEqual(['admin', 'pages']);
    },
  );

  it.each(['mjs', 'cjs'])(
    'svc-auth/admin and svc-auth/pages show a page to a visitor (%s)',
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
             const page = await fetch('http://127.0.0.1:' + server.address().port + path);
             console.log(page.status, /<h1>(.*?)<\\/h1>/.exec(await page.text())[1]);
           }
           server.close();
         });`,
      );
      expect(await consumer.run(`admin.${ending}`)).toMatchObject({
        stdout: '401 Sign in\n200 Sign in to Acme\n',
        stderr: '',
      });
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

  it.each(['js', 'cjs'])('svc-auth/token and svc-auth/client load no zod code (%s)', (ending) => {
    const read = (file: string) => readFileSync(path.join(consumer.packed, 'dist', file), 'utf8');
    const loadsZod = (entry: string) => {
      const files = new Set([`${entry}.${ending}`]);
      for (const file of files)
        for (const [, next = ''] of read(file).matchAll(/(?:from |require\()'\.\/([^']+)'/g)) files.add(next);
      return [...files].some((file) => read(file).includes('ZodObject'));
    };
    const entries = ['index', 'testing', 'token', 'client', 'cli'];
    expect(entries.filter(loadsZod)).toEqual(['index', 'testing', 'cli']);
  });

  it('svc-auth/client is built for browsers, without modules of Node or server code', () => {
    const text = readFileSync(path.join(consumer.packed, 'dist/client.js'), 'utf8');
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
