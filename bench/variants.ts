/**
 * The ways to run svc-auth that `npm run bench` compares. Adding one takes one entry: its routes are then measured next to
 * those of the others, at 1, 16 and 64 connections.
 */
import type { Express } from 'express';
import type { RequestListener, Server } from 'node:http';
import type { ServiceConfig } from 'svc-auth';
import { expressServer } from 'svc-auth/server';

export interface Variant {
  /** The Express version, and of the bare routes that the variant is compared with. */
  express: 4 | 5;
  /** Options of the session in addition to those of the README. */
  session?: Omit<ServiceConfig['session'], 'secret'>;
  /** Its column in the comparison with other libraries, if it has one. */
  column?: string;
  /** The HTTP server; that of `app.listen()` by default. */
  server?: (app: Express) => Server;
}

export const variants: Readonly<Record<string, Variant>> = {
  'Express 5': { express: 5, column: 'svc-auth' },
  'Express 5, expressServer': { express: 5, column: 'svc-auth, expressServer', server: expressServer },
  'Express 5, cache': { express: 5, session: { cache: { maxStaleMs: 5_000 } } },
  'Express 5, expressServer, cache': {
    express: 5,
    session: { cache: { maxStaleMs: 5_000 } },
    server: expressServer,
  },
  'Express 4': { express: 4 },
};

/** The variant that passwords and growth are measured with. */
export const standard = 'Express 5';

/** Returns the server of a variant as a function of any listener. */
export function serverOf({ server }: Variant): ((app: RequestListener) => Server) | undefined {
  return server && ((app) => server(app as Express));
}
