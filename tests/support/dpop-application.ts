/** An application with bearer sessions that need a key, for tests in a browser. */
import express from 'express';
import { createAuthRouter, createService, memoryAdapter, requireSession } from 'svc-auth';

/** @param pageOrigin the origin of the pages, which is another site. */
export function dpopApplication(pageOrigin: string) {
  const service = createService({
    adapter: memoryAdapter(),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    session: { secret: 'of this test alone, with more than 32 bytes', bearer: { dpop: 'required' } },
    providers: { emailPassword: { sender: { send: async () => {} } } },
  });
  const app = express();
  app.use((req, res, next) => {
    if (req.headers.origin !== pageOrigin) return next();
    res.set('Access-Control-Allow-Origin', pageOrigin);
    if (req.method !== 'OPTIONS') return next();
    res.set(
      'Access-Control-Allow-Headers',
      'authorization, content-type, dpop, svc-session, svc-mfa, svc-user',
    );
    res.status(204).end();
  });
  app.use('/api/auth', createAuthRouter(service));
  app.get('/payouts', requireSession(service, { bound: true }), (req, res) => {
    res.json({ bound: req.svcAuth?.bound });
  });
  return app;
}
