/**
 * The configuration for `svc-auth user`, which administers the users of the example on the command line: README.md. Stop the
 * example first, because one process at a time can open the embedded database.
 */
import { consoleSender, knexAdapter, pgliteAdapter, type ServiceConfig } from 'svc-auth';
import { keptSecret } from './local.js';
import { readSettings } from './settings.js';

const { databaseUrl, folder } = readSettings(process.env);

const config: ServiceConfig = {
  adapter: databaseUrl
    ? knexAdapter({ client: 'pg', connection: databaseUrl })
    : pgliteAdapter(`${folder}/database`),
  session: { secret: await keptSecret(`${folder}/session-secret`) },
  appName: 'Acme',
  // For the rules of passwords.
  providers: { emailPassword: { sender: consoleSender() } },
};

export default config;
