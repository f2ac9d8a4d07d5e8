/** A process that purges or rotates keys until it is done, or kills itself after a batch. tests/deployment starts it. */
import { createService, type PurgeCounts, type ReencryptCounts } from '../../src/index.js';
import { maintenanceKeys } from './maintenance-keys.js';
import { openStorage } from './open-storage.js';

const ignore = () => undefined;

export interface MaintenanceCommand {
  url: string;
  task: 'purge' | 'rotate-key';
  /** The time of the service. */
  now: number;
  /** The process kills itself after the batch with which it has reached this number. */
  killAfter?: number;
}

async function run({ url, task, now, killAfter = Infinity }: MaintenanceCommand): Promise<void> {
  const service = createService({
    adapter: openStorage(url, 3),
    session: { secret: 'a secret of the tests, 32 bytes or more, no other' },
    encryptionKey: maintenanceKeys.current,
    previousEncryptionKeys: [maintenanceKeys.old],
    clock: () => now,
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  await service.init({ migrate: false });
  const killAt = (done: number) => {
    if (done >= killAfter) process.kill(process.pid, 'SIGKILL');
  };
  const result: PurgeCounts | ReencryptCounts =
    task === 'purge'
      ? await service.purgeExpired({ onProgress: killAt })
      : await service.reencrypt({ onProgress: ({ reencrypted }) => killAt(reencrypted) });
  await service.close();
  process.send?.({ result }, undefined, undefined, () => process.disconnect());
}

process.on('message', (command: MaintenanceCommand) => {
  run(command).catch((error: Error) =>
    process.send?.({ error: `${error.message} ${String(error.cause)}` }, undefined, undefined, () =>
      process.exit(1),
    ),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
