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

/** Checks the types of the applications. @returns what the compiler says. */
export async function compilerErrors(): Promise<string> {
  const compiler = path.join(repository, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '--noEmit', '-p', folderOf(11)];
  return promisify(execFile)(process.execPath, args, { cwd: repository }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
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
