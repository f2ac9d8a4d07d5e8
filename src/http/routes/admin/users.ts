/** Look-ups and lists of users, for administrators. */
import { endpoint } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { listQuery, listQueryOf, userFilter, userFilterOf } from './user-query.js';

export const listUsers = endpoint({
  action: 'users.list',
  access: 'no-impersonation',
  summary: 'Lists the users who match every condition, newest first unless `sort` is `oldest`',
  query: listQuery,
  response: responses.users,
  errors: ['invalid_request'],
  handle: async ({ service, req }) => service.users.list(listQueryOf(req)),
});

export const countUsers = endpoint({
  action: 'users.count',
  access: 'no-impersonation',
  summary: 'Counts the users who match every condition: exactly up to 10,000, and `{ atLeast }` above',
  query: userFilter,
  response: responses.userCount,
  errors: ['invalid_request'],
  handle: async ({ service, req }) => ({ count: await service.users.count(userFilterOf(req)) }),
});

export const getUser = endpoint({
  action: 'users.get',
  access: 'no-impersonation',
  summary: 'Returns a user',
  response: responses.userRecord,
  errors: ['user_not_found'],
  handle: async ({ service, param }) => ({ user: await service.users.get(param('id')) }),
});
