/** What the commands that run one task on a service share: parsing, help, the file of the environment, and the exit code. */
import type { Service } from '../engine/service.js';
import { Arguments, describeOptions, type Options } from './arguments.js';
import { commonOptions, noArguments, Report, type Command } from './command.js';
import { readEnvFile } from './env-file.js';
import { withService } from './open-service.js';
import { guarded, printHelp, type Surroundings } from './run.js';

export interface TaskCommand extends Pick<Command, 'isRecorded'> {
  /** What follows `svc-auth`. */
  name: string;
  /** The lines above the options. */
  help: string;
  options: Options;
  /** What is called before the task. Default: `service.init()`. */
  init?: (service: Service) => Promise<void>;
  /** Checks the arguments and returns the work, which returns the exit code. */
  plan: (args: Arguments, report: Report) => (service: Service) => Promise<number>;
}

/** Returns the exit code: that of the task, 1 if it failed, 2 for wrong usage. */
export async function runTask(
  { name, help, options, init, isRecorded, plan }: TaskCommand,
  args: string[],
  surroundings: Surroundings,
): Promise<number> {
  let code = 0;
  const failed = await guarded(name, surroundings, async () => {
    const all = { ...options, ...commonOptions };
    const parsed = Arguments.parse(args, all);
    if (parsed.has('help'))
      return void printHelp(`${help}\n\nOptions:\n${describeOptions(all)}`, surroundings);
    noArguments(parsed);
    const task = plan(parsed, new Report(surroundings.terminal, parsed.has('json')));
    const envFile = parsed.text('env-file');
    if (envFile !== undefined) readEnvFile(envFile, surroundings.env);
    const run = async (service: Service) => void (code = await task(service));
    await withService(parsed.text('config'), surroundings, run, { isRecorded, ...(init && { init }) });
  });
  return failed || code;
}

/**
 * Runs work in batches with its progress. Ctrl-C ends it after the batch that is running, and shows the cursor again; a second one ends
 * the process.
 * @param work calls its argument after each batch, which throws if it is to end.
 */
export async function inBatches<Result>(
  work: (afterBatch: (show: () => void) => void) => Promise<Result>,
): Promise<Result> {
  let isEnded = false;
  const end = () => (isEnded = true);
  process.once('SIGINT', end);
  try {
    return await work((show) => {
      show();
      if (isEnded) throw new Error('Ended. What is done is stored: run the command again for the rest.');
    });
  } finally {
    process.off('SIGINT', end);
  }
}
