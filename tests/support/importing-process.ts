/** A process that imports users until it is done or killed. tests/moving/import-processes.long.test.ts starts it. */
import { createService } from '../../src/index.js';

import { importingHasher, sequentialUsers } from './imported-users.js';
import { openStorage } from './open-storage.js';

const ignore = () => undefined;

export interface ImportCommand {
  url: string;
  users: number;
  batchSize: number;
  /** The process kills itself at a random point soon after it has read so many records. */
  killAfter?: number;
}

async function run({ url, users, batchSize, killAfter = Infinity }: ImportCommand): Promise<void> {
  const service = createService({
    appName: 'Acme',
    adapter: openStorage(url, 3),
    session: { secret: 'a secret of the tests, 32 bytes or more, no other' },
    encryptionKey: 'a key of the tests for second factors, 32 bytes',
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    providers: {
      emailPassword: { sender: { send: async () => undefined }, hasher: importingHasher() },
      totp: true,
    },
  });
  await service.init();
  const report = await service.users.import(sequentialUsers(users), {
    batchSize,
    onConflict: 'skip',
    onProgress({ read }) {
      const kill = () => process.kill(process.pid, 'SIGKILL');
      if (read >= killAfter) setTimeout(kill, Math.random() * 30);
      // However fast the import is, it must not end before it is killed.
      if (read >= killAfter + 1_000) kill();
    },
  });
  await service.close();
  process.send?.({ report }, undefined, undefined, () => process.disconnect());
}

process.on('message', (command: ImportCommand) => {
  run(command).catch((error: Error) =>
    process.send?.({ error: `${error.message} ${String(error.cause)}` }, undefined, undefined, () =>
      process.exit(1),
    ),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
