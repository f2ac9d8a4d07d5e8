/** The configuration of the sign-in. */
import { communityLicense, consoleSender, sqliteAdapter, type ServiceConfig } from 'svc-auth';

export function authConfig(): ServiceConfig {
  const sender = consoleSender();
  return {
    adapter: sqliteAdapter('notes.sqlite'),
    appName: 'Notes',
    licenseKey: communityLicense,
    session: { secret: process.env['SESSION_SECRET'] ?? 'only for development: set SESSION_SECRET' },
    providers: { emailCode: { sender }, emailPassword: { sender } },
  };
}
