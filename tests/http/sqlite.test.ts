/** The HTTP suite on SQLite. */
import { describeShared } from './shared-storage.js';

describeShared('SQLite');
