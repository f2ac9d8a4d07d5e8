/** An application as it was before the move: express-session with any store, and a sign-in as Passport makes it. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import session, { type Store } from 'express-session';
import { httpClient } from './http-client.js';
import { listen } from './http-site.js';

export const oldSecret = 'keyboard cat';

export interface OldApplication {
  store: Store;
  /** Signs in and returns the `Cookie` header. */
  signIn(userId: string | number): Promise<string>;
  /** Returns the user of a cookie, or null. */
  whoIs(cookie: string): Promise<string | number | null>;
  close(): Promise<void>;
}

export function oldMiddleware(store: Store) {
  return session({
    store,
    secret: oldSecret,
    resave: false,
    saveUninitialized: false,
    cookie: { maxAge: 10 * 365 * 86_400_000 },
  });
}

export async function openOldApplication(store: Store = new session.MemoryStore()): Promise<OldApplication> {
  const app = express();
  app.use(oldMiddleware(store));
  app.post('/login/:id', (req, res, next) => {
    const id = req.params.id;
    req.session.regenerate((error) => {
      if (error) return next(error);
      Object.assign(req.session, { passport: { user: /^\d+$/.test(id) ? Number(id) : id } });
      res.sendStatus(200);
    });
  });
  app.get('/me', (req, res) => {
    const { passport } = req.session as { passport?: { user?: string | number } };
    res.json(passport?.user ?? null);
  });
  const server: Server = await listen(app);
  const client = httpClient((server.address() as AddressInfo).port);
  return {
    store,
    async signIn(userId) {
      const path = `/login/${encodeURIComponent(userId)}`;
      return (await client.send({ method: 'POST', path })).cookie('connect.sid');
    },
    async whoIs(cookie) {
      return (await client.send({ method: 'GET', path: '/me', headers: { Cookie: cookie } })).json;
    },
    async close() {
      client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
