/** The audit log, for administrators. */
import * as z from 'zod';
import { parseInput } from '../../../core/support/input.js';
import { lazily } from '../../../runtime/load.js';
import { endpoint } from '../../endpoint.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { queryParametersOf } from '../../request-context.js';
import { responses } from '../../response-schemas.js';
import { timeField } from './user-query.js';

const filter = lazily(() =>
  z.object({
    userId: z.string().optional(),
    orgId: z.string().optional(),
    clientId: z.string().optional(),
    actorId: z.string().optional(),
    action: z.string().optional(),
    outcome: z.enum(['success', 'failure']).optional(),
    requestId: z.string().optional(),
    from: timeField().optional(),
    until: timeField().optional(),
  }),
);

/** For the OpenAPI document. */
const listQuery = lazily(() => z.object({ ...filter().shape, ...pageQuery().shape }));

export const listAuditRecords = endpoint({
  action: 'audit.list',
  access: 'no-impersonation',
  summary: 'Lists the records of the audit log that match every condition, newest first',
  query: listQuery,
  response: responses.auditRecords,
  errors: ['invalid_request'],
  requires: ({ service }) => service.audit.assertEnabled(),
  async handle({ service, req }) {
    const given = queryParametersOf(req, Object.keys(filter().shape));
    return service.audit.list({ ...parseInput(filter, given), ...pageOf(req) });
  },
});
