/** The HTTP suite on SQLite: its first suites, and every suite if `STORAGES` selects it. */
import { describeShared } from './shared-storage.js';

describeShared('SQLite');
