/** What every moved application does at its start: listens, and says so to the test that has started it. */
import type { Express } from 'express';

const { PORT } = process.env;

export function listen(app: Express): void {
  app.listen(Number(PORT), '127.0.0.1', () => process.send?.('listening'));
  process.once('disconnect', () => process.exit());
}
