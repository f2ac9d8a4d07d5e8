/** The HTTP suite on the memory adapter. express4-peer.long.test.ts runs it with only Express 4 installed. */
import { memoryAdapter } from 'svc-auth';
import { describeStorage } from './matrix.js';

describeStorage('memory', async () => ({ adapter: memoryAdapter(), release: async () => undefined }));
