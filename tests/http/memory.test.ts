/**
 * The HTTP suite on the memory adapter: its first suites, and with STORAGES=all every suite. express4-peer.long.test.ts runs every
 * suite on the same adapter, with only Express 4 installed, and postgres.test.ts with Express 5.
 */
import { memoryAdapter } from 'svc-auth';
import { isThorough } from '../support/describe-adapters.js';
import { describeMatrix, firstSuites } from './matrix.js';

const open = async () => ({ adapter: memoryAdapter(), release: async () => undefined });

describeMatrix('memory', open, isThorough ? {} : { on: ['Express 5'], only: firstSuites });
