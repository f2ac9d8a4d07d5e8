/** `svc-auth passwords`: builds filters of common or leaked passwords. */
import { buildFilter } from '../core/passwords/build-filter.js';
import { Arguments, describeOptions, UsageError, type Options } from './arguments.js';
import { guarded, printHelp, type Surroundings } from './run.js';

const options: Options = {
  out: {
    value: '<file>',
    help: 'The filter to write. An existing one is replaced when the new one is complete.',
  },
  'min-count': {
    value: '<number>',
    help: 'Skip SHA-1 digests that were leaked less often: <digest>:<count>. Default: 1.',
  },
};

const help = `Usage: svc-auth passwords build <list> --out <file>

Builds a filter for the option emailPassword.commonPasswords.file. The list has one password per line, or one SHA-1 digest per line,
in the order of the digests.

Options:
${describeOptions(options)}`;

/** Runs `svc-auth passwords <args>`. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runPasswords(
  [name = '', ...args]: string[],
  surroundings: Surroundings,
): Promise<number> {
  if (['help', '--help', '-h'].includes(name)) return printHelp(help, surroundings);
  return guarded('passwords', surroundings, async () => {
    if (name !== 'build')
      throw new UsageError(name === '' ? 'Name a command.' : `Unknown command "passwords ${name}".`);
    const parsed = Arguments.parse(args, options);
    if (parsed.has('help')) return void printHelp(help, surroundings);
    const [list, ...rest] = parsed.positionals;
    const out = parsed.text('out');
    if (list === undefined || rest.length > 0) throw new UsageError('Name one file with a list.');
    if (out === undefined) throw new UsageError('Name the filter to write: --out <file>.');
    const minCount = Number(parsed.text('min-count') ?? 1);
    if (!Number.isInteger(minCount) || minCount < 1)
      throw new UsageError('--min-count must be a whole number of at least 1.');
    const { passwords, bytes, contents } = await buildFilter(list, out, minCount);
    const kind = contents === 'exact' ? 'digests' : 'passwords';
    surroundings.terminal.output.write(`${out}: ${passwords} ${kind}, ${bytes} bytes.\n`);
  });
}
