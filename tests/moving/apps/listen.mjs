/** What every old application does at its start: connects, listens, and says so to the test that has started it. */
import pg from 'pg';

export const settings = process.env;
export const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 5 });

/** @param server what has `listen`, as an Express application or a server of Node. */
export function listen(server) {
  const listener = server.listen(Number(settings.PORT), '127.0.0.1', () => process.send?.('listening'));
  process.once('disconnect', () => process.exit());
  return listener;
}

/** Passes a rejection to the error handler, also in Express 4. */
export const safely = (handler) => (req, res, next) => handler(req, res, next).catch(next);
