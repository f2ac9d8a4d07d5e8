/**
 * The packages of the SQL adapters. Apart from packages.cjs, because a bundler that follows `knex` needs the drivers of every
 * database, and `svc-auth/token` must be bundled without them. The build copies this file unchanged.
 */
'use strict';

exports.loadKnex = () => require('knex');
exports.loadSqliteClient = () => require('knex/lib/dialects/better-sqlite3/index.js');

// Inside `try`, so that bundlers tolerate a missing package.
exports.loadPgliteClient = () => {
  try {
    return require('knex-pglite');
  } catch (cause) {
    throw new Error('The package could not be loaded.', { cause });
  }
};
exports.loadMysql = () => {
  try {
    return require('mysql2');
  } catch (cause) {
    throw new Error('The package could not be loaded.', { cause });
  }
};
