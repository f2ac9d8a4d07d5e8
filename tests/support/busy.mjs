// One busy process of the load under which `STRESS=1 npm test` runs the tests. It ends with its parent, and after two hours in any case.
import { setImmediate } from 'node:timers';

process.once('disconnect', () => process.exit());
setTimeout(() => process.exit(), 7_200_000);

function work() {
  const end = Date.now() + 50;
  while (Date.now() < end);
  setImmediate(work);
}

work();
