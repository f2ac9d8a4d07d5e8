/** The routes of the admin router as methods. */
import type { AuditFilter } from '../domain/audit.js';
import type {
  NewUserInput,
  UserBlockInput,
  UserFilterInput,
  UserInviteInput,
  UserUpdateInput,
} from '../domain/user-inputs.js';
import type * as Responses from './responses.js';
import { withQuery, type PageInput } from './query.js';
import { at, type Send } from './transport.js';

export type UserListInput = WithExternalId<UserFilterInput> &
  PageInput & { sort?: 'newest' | 'oldest' | null };

/** `ifUpdatedAt` refuses the change if the user has changed since. */
export type UserChangesInput = WithExternalId<UserUpdateInput> & { ifUpdatedAt?: Date | null };

/** Whom a lockdown concerns. */
export type LockdownInput = ({ everyone: true } | { orgId: string } | { userId: string }) & {
  apiKeys?: boolean;
};

/** JSON has no bigint. */
type WithExternalId<Input> = Omit<Input, 'externalId'> & { externalId?: string | number | null };

export function userMethods(send: Send) {
  return {
    list: (query?: UserListInput) => send<Responses.Users>('GET', withQuery('/admin/users', query)),
    count: (filter?: WithExternalId<UserFilterInput>) =>
      send<Responses.UserCount>('GET', withQuery('/admin/users/count', filter)),
    get: (id: string) => send<Responses.WithUserRecord>('GET', at`/admin/users/${id}`),
    create: (input: WithExternalId<NewUserInput>) =>
      send<Responses.WithUserRecord>('POST', '/admin/users', input),
    invite: (input: UserInviteInput) => send<Responses.InvitedUser>('POST', '/admin/users/invite', input),
    update: (id: string, input: UserChangesInput) =>
      send<Responses.WithUserRecord>('PATCH', at`/admin/users/${id}`, input),
    setPassword: (id: string, input: { password: string }) =>
      send<Responses.WithUserRecord>('POST', at`/admin/users/${id}/password`, input),
    signOut: (id: string) => send<Responses.Ok>('POST', at`/admin/users/${id}/sign-out`),
    block: (id: string, input: UserBlockInput = {}) =>
      send<Responses.WithUserRecord>('POST', at`/admin/users/${id}/block`, input),
    unblock: (id: string) => send<Responses.WithUserRecord>('POST', at`/admin/users/${id}/unblock`),
    remove: (id: string) => send<Responses.Ok>('DELETE', at`/admin/users/${id}`),

    sessions: {
      list: (id: string, page?: PageInput) =>
        send<Responses.Sessions>('GET', withQuery(at`/admin/users/${id}/sessions`, page)),
      revoke: (id: string, sessionId: string) =>
        send<Responses.Ok>('DELETE', at`/admin/users/${id}/sessions/${sessionId}`),
    },
    tokens: {
      list: (id: string, page?: PageInput) =>
        send<Responses.RefreshFamilies>('GET', withQuery(at`/admin/users/${id}/tokens`, page)),
      revoke: (id: string, tokenId: string) =>
        send<Responses.Ok>('DELETE', at`/admin/users/${id}/tokens/${tokenId}`),
    },
    identities: {
      list: (id: string) => send<Responses.Identities>('GET', at`/admin/users/${id}/identities`),
      remove: (id: string, identityId: string) =>
        send<Responses.Ok>('DELETE', at`/admin/users/${id}/identities/${identityId}`),
    },
    passkeys: {
      list: (id: string, page?: PageInput) =>
        send<Responses.Passkeys>('GET', withQuery(at`/admin/users/${id}/passkeys`, page)),
      remove: (id: string, passkeyId: string) =>
        send<Responses.Ok>('DELETE', at`/admin/users/${id}/passkeys/${passkeyId}`),
    },
    totp: {
      state: (id: string) => send<Responses.TotpState>('GET', at`/admin/users/${id}/totp`),
      disable: (id: string) => send<Responses.Ok>('DELETE', at`/admin/users/${id}/totp`),
    },
    apiKeys: {
      list: (id: string, page?: PageInput) =>
        send<Responses.ApiKeys>('GET', withQuery(at`/admin/users/${id}/api-keys`, page)),
      remove: (id: string, keyId: string) =>
        send<Responses.Ok>('DELETE', at`/admin/users/${id}/api-keys/${keyId}`),
    },
    orgs: {
      list: (id: string, page?: PageInput) =>
        send<Responses.Orgs>('GET', withQuery(at`/admin/users/${id}/orgs`, page)),
      /** Removes the user from the organization. */
      removeMember: (id: string, orgId: string) =>
        send<Responses.Ok>('DELETE', at`/admin/users/${id}/orgs/${orgId}`),
    },
  };
}

/** The conditions of a page of the audit log. */
export type AuditFilterInput = AuditFilter & PageInput;

/** With the option `audit`. */
export function auditMethods(send: Send) {
  return {
    list: (query?: AuditFilterInput) => send<Responses.AuditRecords>('GET', withQuery('/admin/audit', query)),
  };
}

/** With the option `statistics`. */
export function statisticsMethods(send: Send) {
  return {
    read: (query?: { range?: Responses.StatisticsRange }) =>
      send<Responses.StatisticsReport>('GET', withQuery('/admin/statistics', query)),
  };
}
