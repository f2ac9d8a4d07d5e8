/** Changes of users by administrators. */
import type * as z from 'zod';
import type { NewUserInput, UserInviteInput, UserUpdateInput } from '../../../domain/user-inputs.js';
import {
  blockFields,
  newInviteInput,
  newUserInput,
  passwordInput,
  userUpdateInput,
} from '../../../providers/users/inputs.js';
import { endpoint } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { by } from './by.js';
import { timeField } from './user-query.js';

export const createUser = endpoint({
  action: 'users.create',
  access: 'recent',
  summary: 'Creates a user. A password requires an address or a user name',
  body: () => newUserInput() as z.ZodType<NewUserInput>,
  response: responses.userRecord,
  errors: ['email_exists', 'external_id_exists', 'provider_not_configured', 'weak_password'],
  handle: async ({ service, me, session, body }) => ({
    user: await service.users.create(body, by({ me, session })),
  }),
});

export const inviteUser = endpoint({
  action: 'users.invite',
  access: 'recent',
  summary: 'Creates an unverified user, if there is none, and mails a link that verifies the address',
  body: () => newInviteInput() as z.ZodType<UserInviteInput>,
  response: responses.invitedUser,
  errors: [
    'email_exists',
    'email_send_failed',
    'provider_not_configured',
    'rate_limit_exceeded',
    'user_blocked',
  ],
  handle: async ({ service, me, session, body }) => service.users.invite(body, by({ me, session })),
});

export const updateUser = endpoint({
  action: 'users.update',
  access: 'recent',
  summary: 'Changes the fields that are given. A new address ends every session of the user',
  body: () => userUpdateInput().extend({ ifUpdatedAt: timeField().nullish() }),
  response: responses.userRecord,
  errors: ['email_exists', 'external_id_exists', 'user_not_found'],
  async handle({ service, me, session, body: { ifUpdatedAt, ...changes }, param }) {
    const options = { ...by({ me, session }), ifUpdatedAt };
    return { user: await service.users.update(param('id'), changes as UserUpdateInput, options) };
  },
});

export const setUserPassword = endpoint({
  action: 'users.setPassword',
  access: 'recent',
  summary: 'Sets the password of a user, and ends every session and every pending code and link',
  body: passwordInput,
  response: responses.userRecord,
  errors: ['provider_not_configured', 'user_not_found', 'weak_password'],
  handle: async ({ service, me, session, body, param }) => ({
    user: await service.users.setPassword(param('id'), body.password, by({ me, session })),
  }),
});

export const signOutUser = endpoint({
  action: 'users.signOut',
  access: 'recent',
  summary: 'Ends every session and token of a user',
  response: responses.ok,
  errors: ['user_not_found'],
  async handle({ service, me, session, param }) {
    await service.users.signOut(param('id'), by({ me, session }));
    return { ok: true };
  },
});

export const blockUser = endpoint({
  action: 'users.block',
  access: 'recent',
  summary: 'Blocks a user until `until`, or until the block is removed, and ends every session and token',
  body: () => blockFields().extend({ until: timeField().nullish() }),
  response: responses.userRecord,
  errors: ['user_not_found'],
  handle: async ({ service, me, session, body, param }) => ({
    user: await service.users.block(param('id'), body, by({ me, session })),
  }),
});

export const unblockUser = endpoint({
  action: 'users.unblock',
  access: 'recent',
  summary: 'Ends the block of a user. Sessions that the block ended stay ended',
  response: responses.userRecord,
  errors: ['user_not_found'],
  handle: async ({ service, me, session, param }) => ({
    user: await service.users.unblock(param('id'), by({ me, session })),
  }),
});
