/** `svc-auth doctor`: prints what `service.diagnose()` finds. */
import path from 'node:path';
import { foundIn } from '../engine/doctor/configuration.js';
import { toFinding } from '../engine/doctor/diagnose.js';
import type { Finding, FindingSeverity } from '../engine/doctor/finding.js';
import type { ConfigError } from '../errors/catalog.js';
import { isServiceError } from '../errors/service-error.js';
import { Arguments, describeOptions, UsageError, type Options } from './arguments.js';
import { applicationOfFile } from './config-module.js';
import { readEnvFile } from './env-file.js';
import { printable, toJson } from './format.js';
import { guarded, printHelp, type Surroundings } from './run.js';

const options: Options = {
  config: {
    value: '<file>',
    help: 'A module, also in TypeScript, that exports your Service or its configuration, and maybe your Express application.',
  },
  'env-file': { value: '<file>', help: 'Sets variables that are not set yet, from a file such as .env.' },
  json: { help: 'Print JSON.' },
};

const help = `Usage: svc-auth doctor --config <file>

Looks for mistakes in the configuration, the application, the database and the senders. Writes nothing, and sends nothing.
Exit code: 0 nothing found, or hints only; 1 errors or warnings; 2 wrong usage. NODE_ENV=production checks more.

Options:
${describeOptions(options)}`;

/** Runs `svc-auth doctor <args>`. Returns the exit code. */
export async function runDoctor(args: string[], surroundings: Surroundings): Promise<number> {
  const { env, terminal } = surroundings;
  let code = 0;
  const failed = await guarded('doctor', surroundings, async () => {
    const parsed = Arguments.parse(args, options);
    if (parsed.has('help')) return void printHelp(help, surroundings);
    const config = parsed.text('config');
    if (parsed.positionals.length > 0) throw new UsageError('This command takes only options.');
    if (config === undefined) throw new UsageError('Pass --config <file>.');
    const envFile = parsed.text('env-file');
    if (envFile !== undefined) readEnvFile(envFile, env);
    const findings = await findingsOf(path.resolve(config));
    if (findings.some(({ severity }) => severity !== 'hint')) code = 1;
    terminal.output.write(`${parsed.has('json') ? toJson({ findings }) : report(findings)}\n`);
  });
  return failed || code;
}

async function findingsOf(file: string): Promise<Finding[]> {
  try {
    const { app, service } = await applicationOfFile(file);
    try {
      return await service.diagnose({ app });
    } finally {
      await service.close();
    }
  } catch (error) {
    // The application does not start with such a configuration, which is what the command is run for.
    if (isServiceError(error) && error.code === 'config_invalid')
      return foundIn(error as ConfigError).map(toFinding);
    throw error;
  }
}

const headings: Record<FindingSeverity, string> = { error: 'Errors', warning: 'Warnings', hint: 'Hints' };

function report(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'No mistakes found.';
  const groups = (Object.keys(headings) as FindingSeverity[]).map((severity) => {
    const ofGroup = findings.filter((finding) => finding.severity === severity);
    return ofGroup.length === 0 ? [] : [headings[severity], ...ofGroup.map(describe)];
  });
  return groups.flat().join('\n\n');
}

function describe({ id, title, why, fix }: Finding): string {
  return [`  ${printable(title)} (${id})`, `    ${printable(why)}`, `    Change: ${printable(fix)}`].join(
    '\n',
  );
}
