/** The configuration of a service in memory, for commands that need a database. */
import { memoryAdapter } from '../../src/index.js';

export default {
  adapter: memoryAdapter(),
  session: { secret: 'a secret of the tests, 32 bytes or more, no other' },
};
