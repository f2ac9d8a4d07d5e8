/** The configuration of the moved application, which `svc-auth import` reads too. */
import connectPgSimple from 'connect-pg-simple';
import session from 'express-session';
import pg from 'pg';
import { consoleSender, knexAdapter, type ServiceConfig } from 'svc-auth';
import { expressSession } from 'svc-auth/moving';

const { DATABASE_URL = '', AUTH_SECRET = '', SESSION_SECRET = '', GOOGLE = '{}' } = process.env;

export const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 5 });

/** The sessions that users have from before. */
const store = new (connectPgSimple(session))({ pool });

const config: ServiceConfig = {
  adapter: knexAdapter({ client: 'pg', connection: DATABASE_URL }),
  appName: 'Boards',
  session: {
    secret: AUTH_SECRET,
    acceptSessionsFrom: [
      expressSession({ store, secret: SESSION_SECRET, userId: ({ passport }) => passport?.user }),
    ],
  },
  providers: {
    emailPassword: { sender: consoleSender() },
    google: JSON.parse(GOOGLE) as NonNullable<NonNullable<ServiceConfig['providers']>['google']>,
  },
};

export default config;
