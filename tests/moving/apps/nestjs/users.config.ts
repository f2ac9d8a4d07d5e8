/** The configuration of the moved application, which `svc-auth import` reads too. */
import pg from 'pg';
import { consoleSender, knexAdapter, type ServiceConfig } from 'svc-auth';
import { jwt } from 'svc-auth/moving';

const { AUTH_SECRET = '', DATABASE_URL = '', JWT_SECRET = '' } = process.env;

export const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 5 });

const config: ServiceConfig = {
  adapter: knexAdapter({ client: 'pg', connection: DATABASE_URL }),
  session: {
    secret: AUTH_SECRET,
    acceptSessionsFrom: [jwt({ secret: JWT_SECRET, from: { header: 'Bearer' } })],
  },
  providers: { emailPassword: { sender: consoleSender() } },
};

export default config;
