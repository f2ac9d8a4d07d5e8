/** Applications of NestJS 10 and 11, after `npm ci` in both folders of tests/servers/nestjs. They use the package as it is built. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { isForNest, readDocuments } from '../architecture/documents.js';
import type { Service } from 'svc-auth';
import type { outbox } from 'svc-auth/testing';

const repository = path.resolve(import.meta.dirname, '../..');
const folderOf = (version: NestVersion) => path.join(repository, 'tests/servers/nestjs', `nest-${version}`);
const packagesOf = (version: NestVersion) => path.join(folderOf(version), 'node_modules');

export type NestVersion = 10 | 11;
export type ModuleFormat = 'CommonJS' | 'ES modules';

const isInstalled = ([10, 11] as const).every((version) =>
  existsSync(path.join(packagesOf(version), '@nestjs/core')),
);
// They may be missing locally. In the merge gate, which can install them, a skipped test would look like a passed one.
const isRequired = process.env['CI_REQUIRES_NESTJS'] === '1';

/** `describe` if NestJS is installed. Otherwise one line of the output says what was left out. */
export const describeWithNest = isInstalled || isRequired ? describe : describe.skip;

export interface NestApplication {
  url: string;
  service: Service;
  mails: ReturnType<typeof outbox>;
  close(): Promise<void>;
}

/** The options of `startGlobal` in nest-11/src/app.ts. */
export interface NestOptions {
  sockets?: 'ws' | 'socket.io';
  recheckMs?: number;
  clock?: () => number;
  bodyParser?: boolean;
  rawBody?: boolean;
  cors?: string;
  globalPrefix?: string;
}

export interface NestStarters {
  startGlobal(options?: NestOptions): Promise<NestApplication>;
  startLocal(): Promise<NestApplication>;
  SvcAuthModule: { forRoot(options: object): unknown; forRootAsync(options: object): unknown };
}

/** Builds the package, and puts it where the applications of both versions find it, as if it were installed. */
export async function installPackage(): Promise<void> {
  const installed = path.join(packagesOf(11), 'svc-auth');
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  const build = ['--import', 'tsx', 'scripts/build.ts', path.join(installed, 'dist'), '--no-types'];
  await promisify(execFile)(process.execPath, build, { cwd: repository });
  copyFileSync(path.join(repository, 'package.json'), path.join(installed, 'package.json'));
  const other = path.join(packagesOf(10), 'svc-auth');
  rmSync(other, { recursive: true, force: true });
  cpSync(installed, other, { recursive: true });
}

/** Compiles the application of the tests as a user of Nest does, with metadata of decorators, and loads it. */
export async function loadApplication(version: NestVersion, format: ModuleFormat): Promise<NestStarters> {
  const file = compiled(version, format, path.join(folderOf(11), 'src'), 'app');
  return (await load(file, format)) as NestStarters;
}

export async function loadGraphQL(): Promise<{ startGraphQL(): Promise<NestApplication> }> {
  const file = compiled(11, 'CommonJS', path.join(folderOf(11), 'src'), 'graphql');
  return (await load(file, 'CommonJS')) as { startGraphQL(): Promise<NestApplication> };
}

/** Loads a package that the applications have installed. */
export function packageOfNest<T>(name: string): T {
  return createRequire(path.join(folderOf(11), 'package.json'))(name) as T;
}

/**
 * Checks the types of the applications, of the example, and of the code in the documents that is marked with `nestjs`.
 * @returns what the compiler says.
 */
export async function compilerErrors(): Promise<string> {
  const folder = path.join(repository, '.data/nestjs-types');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const fences = readDocuments().flatMap((document) => document.fences);
  for (const { info, code, document, line } of fences.filter((fence) => isForNest(fence.info)))
    writeFileSync(
      path.join(folder, `${document.replaceAll(/[^\w]+/g, '-')}-${line}.ts`),
      `// ${info}\n${code}\nexport {};\n`,
    );
  const sources = [folder, path.join(folderOf(11), 'src'), path.join(example, 'src')];
  const project = path.join(folder, 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({
      extends: path.join(folderOf(11), 'tsconfig.json'),
      include: sources.map((each) => path.join(each, '**/*.ts')),
    }),
  );
  const compiler = path.join(repository, 'node_modules/typescript/bin/tsc');
  return promisify(execFile)(process.execPath, [compiler, '--noEmit', '-p', project], {
    cwd: repository,
  }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

const example = path.join(repository, 'example-app/nestjs');

/** Runs the tests of the example, with the packages of the applications. */
export async function testExample(): Promise<{ code: number; out: string }> {
  const file = compiled(11, 'CommonJS', path.join(example, 'src'), 'notes.test');
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const args = ['--test', '--test-reporter', 'tap', file];
  return promisify(execFile)(process.execPath, args, { env }).then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    (error: { stdout: string; stderr: string }) => ({ code: 1, out: error.stdout + error.stderr }),
  );
}

/** Returns the packages of Nest that the example wants in another version than the one that is tested. */
export function exampleMismatches(): string[] {
  const wanted = (folder: string) =>
    (
      JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
        dependencies: Record<string, string>;
      }
    ).dependencies;
  const tested = wanted(folderOf(11));
  return Object.entries(wanted(example))
    .filter(([name, range]) => name in tested && tested[name] !== range)
    .map(([name]) => name);
}

/** Compiles the files of a folder and of those below. @returns the file of a name. */
export function compiled(version: NestVersion, format: ModuleFormat, folder: string, name: string): string {
  const isModule = format === 'ES modules';
  const kind = `${path.basename(path.dirname(folder))}-${isModule ? 'module' : 'commonjs'}`;
  // Among the packages, so that it finds them and version control ignores it.
  const target = path.join(packagesOf(version), '.svc-auth-tests', kind);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  writeFileSync(
    path.join(target, 'package.json'),
    JSON.stringify({ type: isModule ? 'module' : 'commonjs' }),
  );
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.ts'))) {
    const { outputText } = ts.transpileModule(readFileSync(path.join(folder, file), 'utf8'), {
      fileName: file,
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: isModule ? ts.ModuleKind.ES2022 : ts.ModuleKind.CommonJS,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        esModuleInterop: true,
      },
    });
    writeFileSync(path.join(target, file.replace(/\.ts$/, '.js')), outputText);
  }
  return path.join(target, `${name}.js`);
}

async function load(file: string, format: ModuleFormat): Promise<unknown> {
  return format === 'CommonJS' ? createRequire(file)(file) : import(pathToFileURL(file).href);
}
