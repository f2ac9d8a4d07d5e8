/**
 * The HTTP suite with Express 4 as the only installed version: the package then takes its router
 * and its JSON parser from Express 4, too. tests/http/express4-peer.long.test.ts runs it.
 */
import { createAuthRouter, memoryAdapter } from 'svc-auth';
import { describeMatrix } from '../../http/matrix.js';
import { makeService } from '../../support/make-service.js';

const openMemory = async () => ({ adapter: memoryAdapter(), release: async () => undefined });

describeMatrix('memory, with only Express 4 installed', openMemory, { on: ['Express 4'] });

it('createAuthRouter returns an Express 4 router if only Express 4 is installed', async () => {
  const { service } = await makeService();
  // Express 5 no longer calls it.
  expect(createAuthRouter(service)).toHaveProperty('process_params');
});
