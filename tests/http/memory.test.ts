/** The HTTP suite on the memory adapter. */
import { memoryAdapter } from 'svc-auth';
import { describeMatrix } from './matrix.js';

describeMatrix('memory', async () => ({ adapter: memoryAdapter(), release: async () => undefined }));
