import { describeKilledRecorders } from './killed-recorders.js';

for (const name of ['SQLite', 'PostgreSQL', 'PGlite'] as const) describeKilledRecorders(name);
