/** `POST /admin/lockdown`. */
import * as z from 'zod';
import { endpoint } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { by } from './by.js';

// All users must be named: a body without an id is more likely a mistake.
const scope = () =>
  z.union([
    z.strictObject({ userId: z.string(), apiKeys: z.boolean().optional() }),
    z.strictObject({ orgId: z.string(), apiKeys: z.boolean().optional() }),
    z.strictObject({ everyone: z.literal(true), apiKeys: z.boolean().optional() }),
  ]);

export const startLockdown = endpoint({
  action: 'lockdown',
  access: 'recent',
  summary:
    'Ends every session and token of all users, of the members of an organization or of a user, your own included',
  body: scope,
  response: responses.lockdown,
  errors: ['org_error', 'user_not_found'],
  async handle({ service, me, session, body: { apiKeys = false, ...whom } }) {
    const ids = 'everyone' in whom ? {} : whom;
    return service.lockdown({ ...ids, apiKeys }, by({ me, session }));
  },
});
