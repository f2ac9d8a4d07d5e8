/** A process that makes recorded changes until it is killed. tests/audit/killed-recorders.ts starts it. */
import { createService } from 'svc-auth';
import { openStorage } from './open-storage.js';
import { cheapHasher, testSecret } from './make-service.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Creates users, blocks each second one, and deletes each third one. */
async function change(url: string): Promise<void> {
  const service = createService({
    adapter: openStorage(url),
    audit: { sealEveryMs: 20 },
    session: { secret: testSecret, maxPerUser: 1 },
    logger: silent,
    providers: { emailPassword: { sender: { send: async () => undefined }, hasher: cheapHasher() } },
  });
  await service.init();
  let count = 0;
  const makeChanges = async () => {
    for (;;) {
      const number = (count += 1);
      const email = `${process.pid}-${number}@example.test`;
      const input = { email, password: 'correct horse battery' };
      const { user } = await service.emailPassword.signup(input, { startSession: true });
      // Ends the first session in the same transaction.
      await service.emailPassword.login(input, { startSession: true });
      if (number % 2 === 0) await service.users.block(user.id);
      process.send?.(number, undefined, undefined, () => undefined);
    }
  };
  await Promise.all(Array.from({ length: 4 }, makeChanges));
}

process.on('message', (url: string) => void change(url));
process.on('disconnect', () => process.exit());
process.send?.('ready');
