/** The HTTP suite on the memory adapter. Express 4 has a file of its own, in which it is the only one installed. */
import { memoryAdapter } from 'svc-auth';
import { isThorough } from '../support/describe-adapters.js';
import { describeMatrix } from './matrix.js';

const open = async () => ({ adapter: memoryAdapter(), release: async () => undefined });

describeMatrix('memory', open, isThorough ? {} : { on: ['Express 5'] });
