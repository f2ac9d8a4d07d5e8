/** The user name of the caller. */
import { changeUsernameInput } from '../../providers/usernames.js';
import { endpoint, type Target } from '../endpoint.js';
import { responses } from '../response-schemas.js';

const requires = ({ service }: Target) => service.usernames.assertEnabled();

export const getUsername = endpoint({
  access: 'session',
  summary: 'Returns your user name',
  response: responses.username,
  requires,
  handle: async ({ service, me }) => service.usernames.get(me.id),
});

export const changeUsername = endpoint({
  access: 'no-impersonation',
  summary: 'Sets your user name, or removes it',
  body: () => changeUsernameInput().omit({ userId: true }),
  response: responses.username,
  errors: ['rate_limit_exceeded'],
  requires,
  handle: async ({ service, me, body, context }) =>
    service.usernames.change({ ...body, userId: me.id }, context),
});
