/** A service in a separate process that shares sessions in Redis. tests/servers/redis-sessions.test.ts starts it. */
import { startShared, inMemory, type SharedService } from './shared-sessions.js';

interface Command {
  database: string;
  redis: string;
  /** Checks this session until it is in the memory of the process. */
  cache?: string;
  /** Checks this session until it is refused. */
  refused?: string;
}

let service: SharedService | undefined;

process.on('message', (command: Command) => {
  void run(command).then(
    (at) => process.send?.({ at }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

/** Returns the time at which the command was done. */
async function run({ database, redis, cache, refused }: Command): Promise<number> {
  service ??= await startShared({ database, redis }, { library: 'redis', maxStaleMs: 60_000 });
  if (cache !== undefined) await inMemory(service, cache);
  if (refused !== undefined) await service.refused(refused);
  return Date.now();
}
