/** The packages of the SQL adapters, loaded when a database is opened. */
import type { knex, Knex } from 'knex';
import * as databases from './databases.cjs';
import { loadOrExplain } from './load.js';

export const loadKnex = () => loadOrExplain('knex', databases.loadKnex) as typeof knex;

/** The class of the client, which takes its driver from `_driver`. Not in the types of knex. */
export const loadSqliteClient = () =>
  loadOrExplain('knex', databases.loadSqliteClient) as new (config: object) => Knex.Client;

export const loadPgliteClient = () =>
  loadOrExplain('knex-pglite', databases.loadPgliteClient) as typeof Knex.Client;

export const loadMysql = () => loadOrExplain('mysql2', databases.loadMysql);
