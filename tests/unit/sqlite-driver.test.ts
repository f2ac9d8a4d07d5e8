/** Which versions of better-sqlite3 are loaded. */
import { crashes } from '../../src/adapters/portable/sqlite-adapter.js';
import { installedVersion } from '../../src/runtime/load.js';

it('better-sqlite3 13 is not loaded on Node.js 20, where it ends the process', () => {
  expect(crashes('13.0.0', '20.20.2')).toBe(true);
  expect(crashes('13.2.0', '22.0.0')).toBe(false);
  expect(crashes('12.11.1', '20.20.2')).toBe(false);
  expect(crashes(null, '20.20.2')).toBe(false);
});

it('installedVersion returns the version of a package without loading it, and null if it is missing', () => {
  expect(installedVersion('libsql')).toMatch(/^\d+\.\d+\.\d+/);
  expect(installedVersion('svc-auth-missing')).toBeNull();
});
