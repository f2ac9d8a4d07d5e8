/** The list of users: one page of it, and the number of users who match. */
import type { UserRecord } from '../../domain/user-record.js';
import { html, type Html } from '../../html/html.js';
import { isServiceError } from '../../errors/service-error.js';
import { counted } from '../../pages-kit/numbers.js';
import { when } from '../dates.js';
import { refusalOf } from '../form-errors.js';
import { defineAdminPage, type Call } from '../page.js';
import { badges, nameOf, pathOf, personOf, roleTags } from '../person.js';
import { listTable, none } from '../table.js';
import { bulkBox, bulkButtons, type BulkActions } from '../bulk/selection.js';
import { truncatedNote } from '../csv.js';
import { usersCsvPath } from './csv.js';
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
    const { operations, users } = call.texts;
    const filters = filtersOf(call.query, call.zone);
    const cursor = call.query.get('cursor');
    const { listed, error } = await read(call, filters, cursor);
    const [canInvite, canCreate, canBlock, canSignOut, canLockDown] = await Promise.all(
      (['users.invite', 'users.create', 'users.block', 'users.signOut', 'lockdown'] as const).map(call.can),
    );
    const bulk = { block: canBlock === true, signOut: canSignOut === true };
    const body = html`<div class="heading">
        <h1>${call.texts.sections.users}</h1>
        <p class="count">${listed && countText(call, listed.count)}</p>
        <div class="buttons">
          <a class="button" href="${call.base}${csvPath(call)}" download>${call.texts.overview.download}</a>
          ${canLockDown && html`<a class="button" href="${call.base}/lockdown">${operations.lockdown.title}</a>`}
          ${canCreate && html`<a class="button" href="${call.base}/users/new">${users.create}</a>`}
          ${canInvite && html`<a class="button" href="${call.base}/users/invite-list">${operations.inviteList.link}</a>`}
          ${canInvite && html`<a class="button primary" href="${call.base}/users/invite">${users.invite}</a>`}
        </div>
      </div>
      ${filterForm(call, filters, error)}
      ${error?.field === '' && html`<p class="callout bad" role="alert">${error.text}</p>`}
      ${listed && (listed.users.length === 0 ? nobody(call, filters, cursor) : table(call, listed.users, bulk))}
      ${listed && pager(call, filters, cursor, listed.nextCursor)}
      ${listed && truncatedNote(call, listed.nextCursor)}`;
    return { title: call.texts.sections.users, body, status: error ? 422 : 200 };
  },
});

/** Conditions that the service refuses are shown with their error, not as an error page. */
async function read(
  { service, texts, can }: Call,
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
    const [field] = refusalOf(error, texts) ?? [''];
    const { filters: text, role } = texts.errors;
    if (conditions.within === 'words') return { error: { field: '', text: texts.operations.withinRefused } };
    return { error: field === 'role' ? { field, text: role } : { field: '', text } };
  }
}

function countText({ language, texts: { users } }: Call, count: Listed['count']): string | false {
  if (count === null) return false;
  if (typeof count === 'object') return users.countAtLeast(counted(language, count.atLeast));
  return users.count(count, counted(language, count));
}

function nobody(
  {
    base,
    texts: {
      pager: { empty },
      users,
    },
  }: Call,
  { values }: Filters,
  cursor: string | null,
): Html {
  if (cursor !== null)
    return html`<div class="empty">
      <h2>${users.noMore}</h2>
      <p>${empty}</p>
    </div>`;
  const isFiltered = Object.keys(values).some((name) => name !== 'sort' && name !== 'within');
  if (!isFiltered)
    return html`<div class="empty">
      <h2>${users.none}</h2>
      <p>${users.noneLead}</p>
    </div>`;
  return html`<div class="empty">
    <h2>${users.noMatch}</h2>
    ${values.search !== undefined && html`<p>${users.noMatchLead}</p>`}
    <p><a class="button" href="${base}/users">${users.clear}</a></p>
  </div>`;
}

function table(call: Call, records: readonly UserRecord[], bulk: BulkActions): Html {
  const { sections, users } = call.texts;
  return html`${listTable(
    sections.users,
    [users.user, users.status, users.roles, users.created, users.lastSignIn],
    records.map((user) => row(call, user, bulk)),
  )}
  ${bulkButtons(call, bulk)}`;
}

/** Of the page, without the cursor: the file begins with the first user who matches. */
function csvPath({ query, zone }: Call): string {
  const parameters = new URLSearchParams(filtersOf(query, zone).values).toString();
  return parameters === '' ? usersCsvPath : `${usersCsvPath}?${parameters}`;
}

function row(call: Call, user: UserRecord, bulk: BulkActions): Html {
  const { base, texts } = call;
  const { states, users } = texts;
  const { name, avatar } = personOf(call, user);
  const account = user.email === null ? user.id : user.username;
  // A name is not unique: what names the account is always shown too.
  const second = name === null ? account : nameOf(texts, user);
  return html`<tr role="row">
    <td role="cell" class="who">
      <div>
        ${bulkBox(call, user, bulk)} ${avatar}
        <div>
          <a href="${base}${pathOf(user.id)}"><bdi>${name ?? nameOf(texts, user)}</bdi></a>
          ${second !== null && html`<bdi class="second">${second}</bdi>`}
        </div>
      </div>
    </td>
    <td role="cell" data-label="${users.status}">
      <div class="tags">${badges(call, user) || html`<span class="badge good">${states.active}</span>`}</div>
    </td>
    <td role="cell" data-label="${users.roles}" class="${user.roles.length === 0 && 'none-here'}">
      <div class="tags">${roleTags(user.roles) || none(call)}</div>
    </td>
    <td role="cell" data-label="${users.created}" class="date">${when(call, user.createdAt, 'date')}</td>
    <td role="cell" data-label="${users.lastSignIn}" class="date">
      ${user.lastSignInAt ? when(call, user.lastSignInAt) : texts.never}
    </td>
  </tr>`;
}

/** The cursors of the pages before this one, the first one empty: a cursor leads forward only. */
const maxBack = 20;

function pager(
  { base, query, texts: { pager: words } }: Call,
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
  return html`<nav class="pager" aria-label="${words.label}">
    ${cursor !== null && button(words.first, listPath(values))}
    ${cursor !== null && previous !== undefined && button(words.previous, pathTo(previous, back.slice(0, -1)), 'prev')}
    ${next !== null && button(words.next, pathTo(next, [...back, cursor ?? '']), 'next')}
  </nav>`;
}
