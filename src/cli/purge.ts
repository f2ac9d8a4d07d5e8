/** `svc-auth purge`: removes expired rows, as `service.purgeExpired()` does. */
import type { Service } from '../engine/service.js';
import { UsageError } from './arguments.js';
import type { Report } from './command.js';
import { toTable } from './format.js';
import { showProgress } from './import/progress.js';
import { withoutMigration } from './open-service.js';
import type { Surroundings } from './run.js';
import { inBatches, runTask, type TaskCommand } from './task.js';

export const purgeSummary = 'Removes expired sessions, codes, tokens and counters.';

const command: TaskCommand = {
  name: 'purge',
  help: `Usage: svc-auth purge [options]

${purgeSummary} Works in batches: it can be ended at any time, run again, and run
in several processes at once. Run it daily.`,
  options: {
    limit: { value: '<number>', help: 'The most rows to remove from each table.' },
    guests: {
      help: 'Delete old guests too. Needs a license, and --config with a file that registers your user data handlers.',
    },
  },
  ...withoutMigration,
  plan: (args, report) => {
    const limit = args.wholeNumber('limit');
    const guests = args.has('guests');
    if (guests && args.text('config') === undefined)
      throw new UsageError('--guests needs --config <file>: your data is deleted with each guest.');
    return (service) => purge(service, { guests, ...(limit !== undefined && { limit }) }, report);
  },
};

async function purge(
  service: Service,
  options: { guests: boolean; limit?: number },
  report: Report,
): Promise<number> {
  const progress = showProgress(report.terminal, 'Removed', null, 'rows');
  const counts = await inBatches((afterBatch) =>
    service.purgeExpired({
      ...options,
      onProgress: (removed) => afterBatch(() => progress.update(removed)),
    }),
  ).finally(() => progress.end());
  const rows = Object.entries(counts).map(([table, count]) => [table, count.toLocaleString('en-US')]);
  report.print(counts, toTable([['TABLE', 'REMOVED'], ...rows]));
  return 0;
}

/** Runs `svc-auth purge <args>`. Returns the exit code. */
export const runPurge = (args: string[], surroundings: Surroundings) => runTask(command, args, surroundings);
