/** An application with routes behind the guards of the Pro tier, mounted after the routers. */
import type { Express, Request } from 'express';
import { requireApiKey, requireOrgRole } from 'svc-auth';
import type { Site } from '../../support/http-site.js';

export function guards(app: Express, { service }: Pick<Site, 'service'>): void {
  app.get('/app/any', requireApiKey(service), (req, res) => void res.json({ owner: req.apiKey?.userId }));
  app.get('/app/read', requireApiKey(service, { scopes: ['read'] }), (_req, res) => void res.json({}));
  app.get(
    '/app/both',
    requireApiKey(service, { scopes: ['read', 'write'] }),
    (_req, res) => void res.json({}),
  );
  const org = (req: Request) => req.params['org'];
  for (const min of ['member', 'admin', 'owner'] as const) {
    app.get(`/app/orgs/:org/${min}`, requireOrgRole(service, { min, org }), (_req, res) => void res.json({}));
  }
}
