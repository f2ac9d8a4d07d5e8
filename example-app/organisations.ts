/** What programs of an organisation may ask: by an API key that one of its admins made on the account page. */
import { Router } from 'express';
import { requireApiKey, type Service } from 'svc-auth';

export function organisationRoutes(service: Service): Router {
  const routes = Router();
  routes.get(
    '/api/v1/organisation',
    requireApiKey(service, { scopes: ['organisation:read'] }),
    async (req, res) => {
      // The key says whose it is; of the keys of users nobody is an organisation.
      const orgId = req.apiKey?.orgId;
      const org = orgId ? await service.orgs.get(orgId) : null;
      if (!org) {
        const message = 'This key belongs to no organisation.';
        return void res.status(403).json({ error: 'not_authorized', message });
      }
      const members = await service.orgs.listMembers(org.id);
      res.json({ name: org.name, slug: org.slug, members: members.length });
    },
  );
  return routes;
}
