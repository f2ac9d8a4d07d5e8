/** `svc-auth rotate-key`: encrypts what a previous key has encrypted with the current one, as `service.reencrypt()` does. */
import type { Service } from '../engine/service.js';
import type { ReencryptCounts } from '../providers/totp/reencryption.js';
import { UsageError } from './arguments.js';
import type { Report } from './command.js';
import { showProgress, type Progress } from './import/progress.js';
import { withoutMigration } from './open-service.js';
import type { Surroundings } from './run.js';
import { inBatches, runTask, type TaskCommand } from './task.js';

export const rotateKeySummary = 'Encrypts the secrets of authenticator apps with the current encryptionKey.';

const command: TaskCommand = {
  name: 'rotate-key',
  help: `Usage: svc-auth rotate-key --config <file> [options]

${rotateKeySummary}
The file has the new key as encryptionKey, and the old one in previousEncryptionKeys. Start it when every process has both.
It can be ended at any time, run again, and run in several processes at once; sign-ins continue.
Exit code: 0 all are encrypted with the current key; 1 failed, or some cannot be decrypted; 2 wrong usage; 3 some are left, because of --limit.`,
  options: { limit: { value: '<number>', help: 'The most secrets to encrypt.' } },
  ...withoutMigration,
  plan: (args, report) => {
    const limit = args.wholeNumber('limit');
    if (args.text('config') === undefined)
      throw new UsageError('Pass --config <file>, which has your encryptionKey.');
    return (service) => rotate(service, limit, report);
  },
};

async function rotate(service: Service, limit: number | undefined, report: Report): Promise<number> {
  let progress: Progress | undefined;
  let total = 0;
  const counts = await inBatches((afterBatch) =>
    service.reencrypt({
      ...(limit !== undefined && { limit }),
      onProgress: (current) =>
        afterBatch(() => {
          total = current.total;
          progress ??= showProgress(report.terminal, 'Encrypting', total, 'secrets');
          progress.update(current.reencrypted + current.unreadable);
        }),
    }),
  ).finally(() => progress?.end());
  const left = Math.max(0, total - counts.reencrypted - counts.unreadable);
  report.print({ ...counts, left }, textOf(counts, left));
  if (counts.unreadable > 0) return 1;
  return left > 0 ? 3 : 0;
}

function textOf({ reencrypted, unreadable }: ReencryptCounts, left: number): string {
  const lines = [`Encrypted with the current key: ${reencrypted.toLocaleString('en-US')}.`];
  if (unreadable > 0)
    lines.push(
      `No configured key decrypts ${unreadable.toLocaleString('en-US')}. They are unchanged: add the key that is missing to previousEncryptionKeys.`,
    );
  if (left > 0) lines.push(`Left: ${left.toLocaleString('en-US')}. Run the command again.`);
  if (unreadable === 0 && left === 0)
    lines.push(
      'No secret needs previousEncryptionKeys any more. Recovery codes from before the rotation do: let users regenerate them before you remove the old key.',
    );
  return lines.join('\n');
}

/** Runs `svc-auth rotate-key <args>`. Returns the exit code. */
export const runRotateKey = (args: string[], surroundings: Surroundings) =>
  runTask(command, args, surroundings);
