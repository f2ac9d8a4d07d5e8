/** A route for programs of an organization, authenticated by an API key that an admin created on the account page. */
import { Router } from 'express';
import { requireApiKey, type Service } from 'svc-auth';

export function organizationRoutes(service: Service): Router {
  const routes = Router();
  routes.get(
    '/api/v1/organization',
    requireApiKey(service, { scopes: ['organization:read'] }),
    async (req, res) => {
      // The keys of users have no `orgId`.
      const orgId = req.apiKey?.orgId;
      const org = orgId ? await service.orgs.get(orgId) : null;
      if (!org) {
        const message = 'This key does not belong to an organization.';
        return void res.status(403).json({ error: 'not_authorized', message });
      }
      const members = await service.orgs.listMembers(org.id);
      res.json({ name: org.name, slug: org.slug, members: members.length });
    },
  );
  return routes;
}
