/** The configuration of the moved application, which `svc-auth import` reads too. */
import pg from 'pg';
import { knexAdapter, type EmailMessage, type ServiceConfig } from 'svc-auth';
import { authJs } from 'svc-auth/moving';

const { DATABASE_URL = '', GOOGLE = '{}', NEW_SECRET = '', ORIGIN = '' } = process.env;

export const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 5 });

/** The test reads the links from here, as it did before. */
const sender = {
  send: async ({ to, text }: EmailMessage) =>
    void process.send?.({ mail: { to, url: /https?:\/\/\S+/.exec(text)?.[0] } }),
};

const config: ServiceConfig = {
  adapter: knexAdapter({ client: 'pg', connection: DATABASE_URL }),
  session: { secret: NEW_SECRET, acceptSessionsFrom: [authJs({ pool })] },
  appName: 'Photos',
  providers: {
    google: JSON.parse(GOOGLE) as NonNullable<NonNullable<ServiceConfig['providers']>['google']>,
    magicLink: { sender, baseUrl: `${ORIGIN}/api/auth/magic-link/verify` },
  },
};

export default config;
