/**
 * The HTTP suite where Express 4 is the only one installed: the package then takes its router and its JSON parser
 * from there too, where the other files find the newest Express.
 */
import { jest } from '@jest/globals';
import { createAuthRouter, memoryAdapter } from 'svc-auth';
import { makeService } from '../support/make-service.js';

jest.mock('express', () => jest.requireActual('express4'));

const { describeMatrix } = await import('./matrix.js');
const openMemory = async () => ({ adapter: memoryAdapter(), release: async () => undefined });

describeMatrix('memory, with Express 4 alone', openMemory, { on: ['Express 4'] });

it('the router of the package is one of Express 4 here', async () => {
  const { service } = await makeService();
  // As Express 5 calls it no more.
  expect(createAuthRouter(service)).toHaveProperty('process_params');
});
