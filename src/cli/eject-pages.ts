/** `svc-auth pages eject`: writes templates of the pages into a project, which can then change them. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { closestName } from '../errors/closest-name.js';
import { Arguments, describeOptions, UsageError, type Options } from './arguments.js';
import { guarded, printHelp, type Surroundings } from './run.js';
import { PageTemplates, type TemplateSyntax } from './page-templates.js';

const options: Options = {
  only: {
    value: '<template>',
    multiple: true,
    help: 'Writes this template, such as sign-in. The option can be repeated.',
  },
  ts: { help: 'Writes TypeScript. Default in a project with a tsconfig.json.' },
  js: { help: 'Writes JavaScript, with the types in comments.' },
};

const help = `Usage: svc-auth pages eject [<folder>]

Writes the templates of the pages into a folder, by default auth-pages. Pass them to the pages:

  import { templates } from "./auth-pages/index.js";
  app.use(createPages(service, { name: 'Acme', templates }));

Delete what you do not change, from the folder and from the index: the pages use the template of the package then.
Existing templates are not overwritten.

Options:
${describeOptions(options)}

Templates:
`;

/** Runs `svc-auth pages <args>`. Returns the exit code. */
export async function runPages([name = '', ...args]: string[], surroundings: Surroundings): Promise<number> {
  return guarded('pages', surroundings, async () => {
    const parsed = Arguments.parse(args, options);
    if (['', 'help', '--help', '-h'].includes(name) || parsed.has('help'))
      return void printHelp(help + listed(new PageTemplates('ts').names), surroundings);
    if (name !== 'eject') throw new UsageError(`Unknown command "pages ${name}".`);
    const [folder = 'auth-pages', ...rest] = parsed.positionals;
    if (rest.length > 0) throw new UsageError('Name one folder.');
    const templates = new PageTemplates(syntaxFor(parsed));
    const unknown = parsed.list('only').find((each) => !templates.names.includes(each));
    if (unknown !== undefined)
      throw new UsageError(`There is no template ${unknown}. ${suggestionFor(unknown, templates.names)}`);
    const { files, missingInIndex } = templates.writeTo(folder, parsed.list('only'));
    const count = files.length === 1 ? '1 file' : `${files.length} files`;
    const { output } = surroundings.terminal;
    output.write(`Wrote ${count} to ${folder}. Pass the templates of its index to createPages.\n`);
    if (missingInIndex.length > 0)
      output.write(`Your index differs from the one of the package. Add: ${missingInIndex.join(', ')}\n`);
  });
}

/** The names in code, such as `signIn`, are those of the files in another case. */
function suggestionFor(name: string, names: readonly string[]): string {
  const suggestion = closestName(name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase(), names);
  if (suggestion !== undefined) return `Did you mean ${suggestion}?`;
  return `The templates are:\n${listed(names)}`;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `  ${name}`).join('\n');
}

/** @throws UsageError for two languages. */
function syntaxFor(parsed: Arguments): TemplateSyntax {
  if (parsed.has('ts') && parsed.has('js')) throw new UsageError('Use --ts or --js, not both.');
  if (parsed.has('ts') || (!parsed.has('js') && existsSync('tsconfig.json'))) return 'ts';
  return isModule(process.cwd()) ? 'esm' : 'cjs';
}

/** Returns whether Node reads the `.js` files of a folder as modules: by the nearest package.json. */
function isModule(folder: string): boolean {
  const manifest = path.join(folder, 'package.json');
  if (existsSync(manifest))
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: string }).type === 'module';
  const parent = path.dirname(folder);
  return parent !== folder && isModule(parent);
}
