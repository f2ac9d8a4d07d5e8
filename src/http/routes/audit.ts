/** What has happened to one's own account. */
import { endpoint } from '../endpoint.js';
import { pageOf, pageQuery } from '../page-query.js';
import { responses } from '../response-schemas.js';

export const listActivity = endpoint({
  access: 'session',
  summary: 'Lists what has happened to your account, newest first',
  query: pageQuery,
  response: responses.activity,
  errors: ['invalid_request'],
  requires: ({ service }) => service.audit.assertEnabled(),
  handle: async ({ service, me, req }) => service.audit.listActivity(me.id, pageOf(req)),
});
