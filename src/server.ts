/** `svc-auth/server`: serves an Express application faster. Uses only Node.js; does not load the engine or Express. */
export { expressServer } from './server/express-server.js';
export type { ExpressApplication, ExpressServerOptions } from './server/express-server.js';
