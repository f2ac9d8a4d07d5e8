// The HTTP suite in a process in which Express 4 is the only installed version. The other files use the newest Express.
import { runInnerTests } from '../support/inner-process.js';

it('every route works if only Express 4 is installed', async () => {
  const files = await runInnerTests('tests/inner/express4', { express: 'express4' });
  const file = files.get('express4-peer.test.ts')!;
  expect(file.message).toBe('');
  expect(file.assertionResults.filter(({ status }) => status !== 'passed')).toEqual([]);
  expect(file.assertionResults.length).toBeGreaterThan(300);
}, 600_000);
