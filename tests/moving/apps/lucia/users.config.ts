/** The configuration of the moved application, which `svc-auth import` reads too. */
import pg from 'pg';
import { consoleSender, knexAdapter, type ServiceConfig } from 'svc-auth';
import { cookieSession } from 'svc-auth/moving';

const { DATABASE_URL = '', AUTH_SECRET = '' } = process.env;

export const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 5 });

const config: ServiceConfig = {
  adapter: knexAdapter({ client: 'pg', connection: DATABASE_URL }),
  session: {
    secret: AUTH_SECRET,
    acceptSessionsFrom: [
      cookieSession({
        cookieName: 'auth_session',
        async findSession(id) {
          const { rows } = await pool.query<{ user_id: string; expires_at: Date }>(
            'select user_id, expires_at from user_session where id = $1 and expires_at > now()',
            [id],
          );
          return rows[0] ? { user: rows[0].user_id, expiresAt: rows[0].expires_at } : null;
        },
        endSession: (id) => pool.query('delete from user_session where id = $1', [id]),
      }),
    ],
  },
  usernames: { enabled: true },
  providers: { emailPassword: { sender: consoleSender() } },
};

export default config;
