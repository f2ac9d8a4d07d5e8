/**
 * The HTTP suite with Express 4 as the only installed version: the package then takes its router
 * and its JSON parser from Express 4, too. The other files use the newest Express.
 */
import { jest } from '@jest/globals';
import { createAuthRouter, memoryAdapter } from 'svc-auth';
import { makeService } from '../support/make-service.js';

jest.mock('express', () => jest.requireActual('express4'));

const { describeMatrix } = await import('./matrix.js');
const openMemory = async () => ({ adapter: memoryAdapter(), release: async () => undefined });

describeMatrix('memory, with only Express 4 installed', openMemory, { on: ['Express 4'] });

it('createAuthRouter returns an Express 4 router if only Express 4 is installed', async () => {
  const { service } = await makeService();
  // Express 5 no longer calls it.
  expect(createAuthRouter(service)).toHaveProperty('process_params');
});
