/** The users of the list as CSV, with the filters of the page. */
import type { UserRecord } from '../../domain/user-record.js';
import { csvOf } from '../csv.js';
import { defineAdminPage } from '../page.js';
import { filtersOf } from './filters.js';

const heading = [
  ...['id', 'email', 'email_verified', 'username', 'external_id', 'roles', 'blocked', 'blocked_until'],
  ...['guest', 'two_factor', 'created_at', 'last_sign_in_at'],
];

export const usersCsvPath = '/users.csv';

export const usersCsv = defineAdminPage({
  path: usersCsvPath,
  access: 'no-impersonation',
  action: 'users.list',
  async show({ query, service, zone }) {
    const { conditions } = filtersOf(query, zone);
    const content = await csvOf(heading, async (range) => {
      const { users, nextCursor } = await service.users.list({ ...conditions, ...range });
      return { rows: users.map(cellsOf), nextCursor };
    });
    return { file: { name: 'users.csv', type: 'text/csv; charset=utf-8', content } };
  },
});

function cellsOf(user: UserRecord): string[] {
  const { blocked, createdAt, email, emailVerified, externalId, id, isGuest, lastSignInAt, roles } = user;
  return [
    ...[id, email ?? '', String(emailVerified), user.username ?? '', externalId ?? '', roles.join(' ')],
    ...[String(blocked !== null), blocked?.until?.toISOString() ?? ''],
    ...[String(isGuest), String(user.twoFactor)],
    ...[createdAt.toISOString(), lastSignInAt?.toISOString() ?? ''],
  ];
}
