/** The configuration for `svc-auth user`, which administers the users of the example on the command line: README.md. */
import { consoleSender, knexAdapter, sqliteAdapter, type ServiceConfig } from 'svc-auth';
import { keptSecret } from './local.js';
import { readSettings } from './settings.js';

const { databaseUrl, folder } = readSettings(process.env);

const config: ServiceConfig = {
  adapter: databaseUrl
    ? knexAdapter({ client: 'pg', connection: databaseUrl })
    : sqliteAdapter(`${folder}/auth.db`),
  session: { secret: await keptSecret(`${folder}/session-secret`) },
  appName: 'Acme',
  // For the rules of passwords.
  providers: { emailPassword: { sender: consoleSender() } },
};

export default config;
