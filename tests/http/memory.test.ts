/**
 * The HTTP suite on the memory adapter. express4-peer.test.ts runs it with only Express 4
 * installed.
 */
import { memoryAdapter } from 'svc-auth';
import { isThorough } from '../support/describe-adapters.js';
import { describeMatrix } from './matrix.js';

const open = async () => ({ adapter: memoryAdapter(), release: async () => undefined });

describeMatrix('memory', open, isThorough ? {} : { on: ['Express 5'] });
