/**
 * Builds the package: `tsx scripts/build.ts [<folder>] [--no-types]`; the default folder is `dist`. tsc writes one CommonJS file and one
 * declaration for each source, so that stack traces name the files of the repository. The ES module of an entry point exports
 * what its CommonJS file exports, so that a class is the same class in both module systems.
 */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, transformSync } from 'esbuild';
import ts from 'typescript';
import { writeBrowserFiles } from './browser-files.js';
import { copyTemplates } from './copy-templates.js';

const repository = fileURLToPath(new URL('..', import.meta.url));

/** The files that are part of the package as they are: hand-written CommonJS with its declarations, and what browsers load. */
const copied = /\.(cjs|d\.cts|css|html|js)$/;

/** The entry points of package.json. */
const entries = [
  'src/index',
  'src/token',
  'src/server',
  'src/admin',
  'src/pages',
  'src/redis',
  'src/moving',
  'src/oauth-server',
  'src/nestjs',
  'testing/index',
];
/** Browsers load it, and know no CommonJS. */
const browserEntry = 'src/client';

const [folder = 'dist'] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const target = path.resolve(folder);
const withTypes = !process.argv.includes('--no-types');

rmSync(target, { recursive: true, force: true });
await tsc('-p', 'tsconfig.build.json', '--outDir', target);
if (withTypes) await tsc('-p', 'scripts/tsconfig.declarations.json', '--outDir', target);
copyFiles();
compactSentences();
writeBrowserFiles(path.join(target, 'src/pages-kit'));
// The package is of type `module`, as its sources are.
write('package.json', `${JSON.stringify({ type: 'commonjs', sideEffects: false }, null, 2)}\n`);
for (const entry of [...entries, browserEntry])
  write(`${entry}.d.mts`, `export * from './${path.basename(entry)}.js';\n`);
for (const entry of entries) writeModule(entry);
await writeBrowserModule();
chmodSync(path.join(target, 'src/cli.js'), 0o755);
// `svc-auth pages eject` writes them into a project.
await copyTemplates(path.join(target, 'templates'));

/** Removes the indentation of the sentences of eighteen languages: a quarter of their size, and there is nothing to debug in them. */
function compactSentences(): void {
  const files = readdirSync(target, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((each) => /\/texts\/.*\.js$/.test(each))) {
    const source = readFileSync(path.join(target, file), 'utf8');
    write(file, transformSync(source, { minifyWhitespace: true, charset: 'utf8' }).code);
  }
}

function write(file: string, text: string): void {
  writeFileSync(path.join(target, file), text);
}

async function tsc(...options: string[]): Promise<void> {
  const compiler = path.join(repository, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: repository }).catch(
    (error: Error & { stdout?: string }) => {
      throw new Error(error.stdout || error.message, { cause: error });
    },
  );
}

function copyFiles(): void {
  const filter = (file: string) => statSync(file).isDirectory() || copied.test(file);
  for (const top of ['src', 'testing'])
    cpSync(path.join(repository, top), path.join(target, top), { recursive: true, filter });
}

/** Node.js and bundlers find the names: tsc writes each export in the form that they read. */
function writeModule(entry: string): void {
  const names = exportedNames(`${entry}.ts`).join(', ');
  write(`${entry}.mjs`, `export { ${names} } from './${path.basename(entry)}.js';\n`);
}

/** Returns the values that a source exports, also those of a source of which it exports everything. */
function exportedNames(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(repository, file), 'utf8'),
    ts.ScriptTarget.ES2022,
  );
  return source.statements.flatMap((statement) => {
    if (ts.isClassDeclaration(statement) && statement.name && isExported(statement))
      return [statement.name.text];
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return [];
    const { exportClause, moduleSpecifier } = statement;
    if (exportClause && ts.isNamedExports(exportClause))
      return exportClause.elements.filter((each) => !each.isTypeOnly).map(({ name }) => name.text);
    if (exportClause || !moduleSpecifier || !ts.isStringLiteral(moduleSpecifier))
      throw new Error(`${file} must export by name`);
    return exportedNames(path.join(path.dirname(file), moduleSpecifier.text.replace(/\.js$/, '.ts')));
  });
}

function isExported(statement: ts.ClassDeclaration): boolean {
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

async function writeBrowserModule(): Promise<void> {
  await build({
    entryPoints: [path.join(repository, `${browserEntry}.ts`)],
    outfile: path.join(target, `${browserEntry}.mjs`),
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    packages: 'external',
    bundle: true,
    logLevel: 'error',
  });
}
