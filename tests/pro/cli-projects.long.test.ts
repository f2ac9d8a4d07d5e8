// `svc-auth user` with the files and databases of a project: TypeScript, named exports, variables of a file, and URLs of SQLite.
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { sqliteAdapter } from 'svc-auth';
import { runCommandLine } from '../support/command-line.js';
import { runUserCommand } from '../support/command-terminal.js';
import { LeakScan } from '../support/leak-scan.js';
import { makeService } from '../support/make-service.js';

const repository = path.resolve(import.meta.dirname, '../..');
const library = pathToFileURL(path.join(repository, 'src/index.ts')).href;
let folder: string;
let database: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-project-'));
  database = path.join(folder, 'data/auth.db');
  const { service } = await makeService({ adapter: sqliteAdapter(database) });
  await service.users.create({ email: 'ada@example.com' });
  await service.close();
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(path.join(repository, 'node_modules/tsx'), path.join(folder, 'node_modules/tsx'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A configuration file in TypeScript that requires a variable. */
const source = (exports: string) => `
import { createService, sqliteAdapter, type ServiceConfig } from '${library}';
const secret: string | undefined = process.env['PROJECT_SECRET'];
const options: ServiceConfig = { adapter: sqliteAdapter('./data/auth.db'), session: { secret } };
${exports}
`;
const write = (file: string, text: string) => writeFileSync(path.join(folder, file), text);
const secret = 'a secret of the project, 32 bytes or more of it';

function list(args: string[], env: NodeJS.ProcessEnv = { PROJECT_SECRET: secret }) {
  const { DATABASE_URL: _url, ...inherited } = process.env;
  return runCommandLine(['user', 'list', ...args], { folder, env: { ...inherited, ...env } });
}

describe('svc-auth user --config', () => {
  it.each([
    ['a service as the default export', 'export default createService(options);'],
    ['a service as a named export', 'export const service = createService(options);'],
    ['a configuration as a named export', 'export const config = options; export const name = 1;'],
    [
      'a service next to its configuration',
      'export { options }; export const auth = createService(options);',
    ],
    ['the same service twice', 'const auth = createService(options); export { auth, auth as service };'],
  ])('loads TypeScript with %s', async (name, exports) => {
    const file = `${name.replaceAll(' ', '-')}.ts`;
    write(file, source(exports));
    const { code, out, err } = await list(['--config', file]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('ada@example.com');
  });

  it('loads TypeScript in a project of ES modules and in one of CommonJS', async () => {
    for (const type of ['module', 'commonjs']) {
      const project = path.join(folder, type);
      mkdirSync(project);
      writeFileSync(path.join(project, 'package.json'), JSON.stringify({ type }));
      writeFileSync(path.join(project, 'options.ts'), source('export { options };'));
      const imports = `import { createService } from '${library}'; import { options } from './options.js';`;
      writeFileSync(
        path.join(project, 'auth.ts'),
        `${imports} export const service = createService(options);`,
      );
      const { code, err } = await list(['--config', `${type}/auth.ts`]);
      expect([type, code, err]).toEqual([type, 0, '']);
    }
  });

  it('loads a named export of JavaScript, and of CommonJS', async () => {
    const exports = { 'named.mjs': 'export const service = createService(options);' };
    for (const [file, text] of Object.entries(exports)) {
      write(
        file,
        source(text).replaceAll(/: (?:ServiceConfig|string \| undefined)|, type ServiceConfig/g, ''),
      );
      expect(await list(['--config', file])).toMatchObject({ code: 0, err: '' });
    }
    const fake = `{ init: async () => {}, close: async () => {}, users: { list: async () => ({ users: [], nextCursor: null }) } }`;
    write('named.cjs', `Object.assign(exports, { service: ${fake} });`);
    expect(await list(['--config', 'named.cjs'])).toMatchObject({ code: 0, err: '' });
  });

  it('names the exports, if several fit', async () => {
    write('several.ts', source('export const one = createService(options), two = createService(options);'));
    const { code, err } = await list(['--config', 'several.ts']);
    expect(code).toBe(2);
    expect(err).toContain('several.ts exports several: one, two. Make one of them the default export.');
  });

  it('names the package that loads TypeScript, if it is missing', async () => {
    const project = mkdtempSync(path.join(tmpdir(), 'svc-auth-without-'));
    writeFileSync(path.join(project, 'auth.ts'), 'export const service = 1;');
    const { code, err } = await list(['--config', path.join(project, 'auth.ts')]);
    rmSync(project, { recursive: true });
    const stripsTypes = 'typescript' in process.features && process.features.typescript;
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(stripsTypes ? 'must export' : 'npm install --save-dev tsx'),
    ]);
  });

  it('reports a fault of the configuration', async () => {
    write('faulty.ts', source('export const service = createService(options);'));
    const { code, err } = await list(['--config', 'faulty.ts'], {});
    expect([code, err]).toEqual([1, expect.stringContaining('session.secret: must be')]);
    expect(err).toContain('(config_invalid)');
  });

  it('reads variables of --env-file that are not set', async () => {
    write('.env', `PROJECT_SECRET='${secret}'\n`);
    write('env.ts', source('export const service = createService(options);'));
    expect(await list(['--config', 'env.ts', '--env-file', '.env'], {})).toMatchObject({ code: 0, err: '' });
    const overridden = await list(['--config', 'env.ts', '--env-file', '.env'], { PROJECT_SECRET: '' });
    expect(overridden.err).toContain('session.secret');
    // Not in a process: Node.js 20 reads this option of every script itself.
    const missing = await runUserCommand(['list', '--env-file', 'missing.env'], {}, new LeakScan());
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('missing.env of --env-file')]);
  });
});

describe('DATABASE_URL of svc-auth user', () => {
  const run = (url: string) => runUserCommand(['list'], { url }, new LeakScan());
  const relative = (file: string) => path.relative(process.cwd(), file);

  it.each<[string, () => string]>([
    ['file:///absolute', () => pathToFileURL(database).href],
    ['file:relative', () => `file:${relative(database)}`],
    ['file:/absolute?query', () => `file:${database}?mode=ro`],
    ['sqlite:relative', () => `sqlite:${relative(database)}`],
    ['sqlite://relative', () => `sqlite://${relative(database)}`],
    ['sqlite:///absolute', () => `sqlite://${database}`],
    ['SQLite:/absolute', () => `SQLite:${database}`],
  ])('names a database of SQLite as %s', async (_form, url) => {
    const { code, out, err } = await run(url());
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('ada@example.com');
  });

  it('creates no database of SQLite', async () => {
    const file = path.join(folder, 'misspelled.db');
    const { code, err } = await run(`file:${file}`);
    expect([code, err]).toEqual([2, expect.stringContaining('misspelled.db of DATABASE_URL does not exist')]);
    expect(existsSync(file)).toBe(false);
  });

  it.each(['postgres', 'postgresql', 'mysql', 'mariadb'])(
    'reports the host of a %s:// URL that cannot be reached, without its password',
    async (scheme) => {
      const { code, err } = await run(`${scheme}://app:hunter2@127.0.0.1:9/app`);
      expect([code, err]).toEqual([
        1,
        expect.stringContaining('The database could not be reached: connect ECONNREFUSED 127.0.0.1:9.'),
      ]);
      expect(err).not.toMatch(/hunter2|Something went wrong|ECONNREFUSED.*\s.*ECONNREFUSED/);
    },
  );

  it.each(['mongodb://db/app', 'app', 'https://db/app'])(
    'refuses %s and lists what it accepts',
    async (url) => {
      const { code, err } = await run(url);
      expect([code, err]).toEqual([2, expect.stringMatching(/postgres:\/\/, mysql:\/\/, .*file:/)]);
    },
  );
});
