/** The list of users: one page of it, and the number of users who match. */
import type { UserRecord } from '../../domain/user-record.js';
import { html, type Html } from '../../html/html.js';
import { isServiceError } from '../../errors/service-error.js';
import { when } from '../dates.js';
import { refusalOf } from '../form-errors.js';
import { defineAdminPage, type Call } from '../page.js';
import { badges, nameOf, pathOf, personOf, roleTags } from '../person.js';
import { listTable, none } from '../table.js';
import { filtersOf, listPath, type FilterError, type Filters } from './filters.js';
import { filterForm } from './filter-form.js';

const pageSize = 50;

interface Listed {
  users: UserRecord[];
  nextCursor: string | null;
  count: number | { atLeast: number } | null;
}

export const userList = defineAdminPage({
  path: '/users',
  access: 'no-impersonation',
  action: 'users.list',
  async show(call) {
    const filters = filtersOf(call.query);
    const cursor = call.query.get('cursor');
    const { listed, error } = await read(call, filters, cursor);
    const [canInvite, canCreate] = await Promise.all([call.can('users.invite'), call.can('users.create')]);
    const body = html`<div class="heading">
        <h1>Users</h1>
        <p class="count">${listed && countText(listed.count)}</p>
        <div class="buttons">
          ${canCreate && html`<a class="button" href="${call.base}/users/new">Create user</a>`}
          ${canInvite && html`<a class="button primary" href="${call.base}/users/invite">Invite user</a>`}
        </div>
      </div>
      ${filterForm(call.base, filters, error)}
      ${error?.field === '' && html`<p class="callout bad" role="alert">${error.text}</p>`}
      ${listed && (listed.users.length === 0 ? nobody(call, filters, cursor) : table(call, listed.users))}
      ${listed && pager(call, filters, cursor, listed.nextCursor)}`;
    return { title: 'Users', body, status: error ? 422 : 200 };
  },
});

/** Conditions that the service refuses are shown with their error, not as an error page. */
async function read(
  { service, can }: Call,
  { conditions }: Filters,
  cursor: string | null,
): Promise<{ listed?: Listed; error?: FilterError }> {
  try {
    const { sort, ...filter } = conditions;
    const [page, count] = await Promise.all([
      service.users.list({ ...filter, sort, cursor, limit: pageSize }),
      (await can('users.count')) ? service.users.count(filter) : null,
    ]);
    return { listed: { ...page, count } };
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'invalid_request') throw error;
    const [field] = refusalOf(error) ?? [''];
    return {
      error: errors[field] ?? { field: '', text: 'These conditions are invalid. Clear the filters.' },
    };
  }
}

const errors: Record<string, FilterError> = {
  role: { field: 'role', text: 'Enter a role as it is given to users, such as support.' },
};

function countText(count: Listed['count']): string | false {
  if (count === null) return false;
  if (typeof count === 'object') return `${count.atLeast.toLocaleString('en')}+ users`;
  return count === 1 ? '1 user' : `${count.toLocaleString('en')} users`;
}

function nobody({ base }: Call, { values }: Filters, cursor: string | null): Html {
  if (cursor !== null)
    return html`<div class="empty">
      <h2>No more users</h2>
      <p>This page of the list is empty.</p>
    </div>`;
  const isFiltered = Object.keys(values).some((name) => name !== 'sort');
  if (!isFiltered)
    return html`<div class="empty">
      <h2>No users yet</h2>
      <p>Users appear here when they sign up, or when you invite or create them.</p>
    </div>`;
  return html`<div class="empty">
    <h2>No users match</h2>
    ${
      values.search !== undefined &&
      html`<p>Check the spelling: a search finds the beginning of an address or a username, or an id.</p>`
    }
    <p><a class="button" href="${base}/users">Clear filters</a></p>
  </div>`;
}

const headings = ['User', 'Status', 'Roles', 'Created', 'Last sign-in'];

const table = (call: Call, users: readonly UserRecord[]) =>
  listTable(
    'Users',
    headings,
    users.map((user) => row(call, user)),
  );

function row(call: Call, user: UserRecord): Html {
  const { base } = call;
  const { name, avatar } = personOf(call, user);
  const account = user.email === null ? user.id : user.username;
  // A name is not unique: what names the account is always shown too.
  const second = name === null ? account : nameOf(user);
  return html`<tr role="row">
    <td role="cell" class="who">
      <div>
        ${avatar}
        <div>
          <a href="${base}${pathOf(user.id)}"><bdi>${name ?? nameOf(user)}</bdi></a>
          ${second !== null && html`<bdi class="second">${second}</bdi>`}
        </div>
      </div>
    </td>
    <td role="cell" data-label="Status">
      <div class="tags">${badges(user) || html`<span class="badge good">Active</span>`}</div>
    </td>
    <td role="cell" data-label="Roles" class="${user.roles.length === 0 && 'none-here'}">
      <div class="tags">${roleTags(user.roles) || none}</div>
    </td>
    <td role="cell" data-label="Created" class="date">${when(user.createdAt, 'date')}</td>
    <td role="cell" data-label="Last sign-in" class="date">
      ${user.lastSignInAt ? when(user.lastSignInAt) : 'Never'}
    </td>
  </tr>`;
}

/** The cursors of the pages before this one, the first one empty: a cursor leads forward only. */
const maxBack = 20;

function pager(
  { base, query }: Call,
  { values }: Filters,
  cursor: string | null,
  next: string | null,
): Html | false {
  if (cursor === null && next === null) return false;
  const back = query.getAll('back').slice(-maxBack);
  const previous = back.at(-1);
  const button = (label: string, path: string, rel: string | null = null) =>
    html`<a class="button" ${rel !== null && html`rel="${rel}"`} href="${base}${path}">${label}</a>`;
  const pathTo = (to: string | undefined, before: readonly string[]) =>
    listPath(values, { cursor: to === '' ? undefined : to }, before);
  return html`<nav class="pager" aria-label="Pages of the list">
    ${cursor !== null && button('First page', listPath(values))}
    ${cursor !== null && previous !== undefined && button('Previous page', pathTo(previous, back.slice(0, -1)), 'prev')}
    ${next !== null && button('Next page', pathTo(next, [...back, cursor ?? '']), 'next')}
  </nav>`;
}
