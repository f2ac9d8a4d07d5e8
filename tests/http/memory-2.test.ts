/** The other half of memory-1.test.ts. */
import { memoryAdapter } from 'svc-auth';
import { describeStorage } from './matrix.js';

const open = async () => ({ adapter: memoryAdapter(), release: async () => undefined });

describeStorage('memory', open, 'second half');
