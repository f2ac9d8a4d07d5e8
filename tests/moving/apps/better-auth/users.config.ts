/** The configuration of the moved application, which `svc-auth import` reads too. */
import pg from 'pg';
import { communityLicense, consoleSender, knexAdapter, type ServiceConfig } from 'svc-auth';
import { betterAuth } from 'svc-auth/moving';

const {
  AUTH_SECRET = '',
  DATABASE_URL = '',
  ENCRYPTION_KEY = '',
  GOOGLE = '{}',
  NEW_SECRET = '',
  ORIGIN = '',
} = process.env;

export const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 5 });

const config: ServiceConfig = {
  adapter: knexAdapter({ client: 'pg', connection: DATABASE_URL }),
  licenseKey: communityLicense,
  encryptionKey: ENCRYPTION_KEY,
  session: {
    secret: NEW_SECRET,
    acceptSessionsFrom: [betterAuth({ secret: AUTH_SECRET, pool })],
  },
  appName: 'Tasks',
  usernames: { enabled: true },
  providers: {
    emailPassword: { sender: consoleSender() },
    google: JSON.parse(GOOGLE) as NonNullable<NonNullable<ServiceConfig['providers']>['google']>,
    totp: true,
    webauthn: { rpId: 'localhost', rpName: 'Tasks', origins: [ORIGIN] },
    orgs: true,
  },
};

export default config;
