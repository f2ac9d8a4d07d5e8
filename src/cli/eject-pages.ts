/** `svc-auth pages eject`: writes the templates of the sign-in pages into a project, which can then change them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Arguments, UsageError } from './arguments.js';
import { guarded, printHelp, type Surroundings } from './run.js';

const help = `Usage: svc-auth pages eject [<folder>]

Writes the templates of the sign-in pages as TypeScript into a folder, by default auth-pages. Pass them to the pages:

  import { templates } from "./auth-pages/index.js";
  app.use(createPages(service, { name: 'Acme', templates }));

Delete what you do not change, from the folder and from index.ts: the pages use the template of the package then.
Existing files are not overwritten.`;

/** Runs `svc-auth pages <args>`. Returns the exit code. */
export async function runPages([name = '', ...args]: string[], surroundings: Surroundings): Promise<number> {
  if (['', 'help', '--help', '-h'].includes(name)) return printHelp(help, surroundings);
  return guarded('pages', surroundings, async () => {
    if (name !== 'eject') throw new UsageError(`Unknown command "pages ${name}".`);
    const parsed = Arguments.parse(args, {});
    if (parsed.has('help')) return void printHelp(help, surroundings);
    const [folder = 'auth-pages', ...rest] = parsed.positionals;
    if (rest.length > 0) throw new UsageError('Name one folder.');
    const files = eject(folder);
    surroundings.terminal.output.write(`Wrote ${files.length} files to ${folder}.\n`);
  });
}

/** Writes the templates. Returns the names of the files. @throws Error if one of them exists. */
function eject(folder: string): string[] {
  const source = templatesFolder();
  const files = readdirSync(source).filter((name) => name.endsWith('.ts'));
  // All are checked before one is written.
  for (const name of files) {
    const file = join(folder, name);
    if (existsSync(file)) throw new Error(`${file} already exists and will not be overwritten.`);
  }
  mkdirSync(folder, { recursive: true });
  for (const name of files) {
    const text = readFileSync(join(source, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(`'../template.js'`, `'svc-auth/pages'`), {
      flag: 'wx',
    });
  }
  return files;
}

/** The folder in the package, or in its source. */
function templatesFolder(): string {
  const folders = ['./templates/', '../pages/templates/'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const found = folders.find((folder) => existsSync(join(folder, 'sign-in.ts')));
  if (found === undefined)
    throw new Error('The templates are missing from the package. Install svc-auth again.');
  return found;
}
