/** Half of the HTTP suite on the memory adapter. express4-peer.long.test.ts runs it with only Express 4 installed. */
import { memoryAdapter } from 'svc-auth';
import { describeStorage } from './matrix.js';

const open = async () => ({ adapter: memoryAdapter(), release: async () => undefined });

describeStorage('memory', open, 'first half');
