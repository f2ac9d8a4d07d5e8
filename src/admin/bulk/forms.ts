/** Blocks and signs out several users: a page that lists whom, and one that says what has happened to each. */
import type { UserRecord } from '../../domain/user-record.js';
import { isUuid } from '../../domain/uuid.js';
import { isServiceError } from '../../errors/service-error.js';
import { html, type Html } from '../../html/html.js';
import { describeError } from '../../core/support/logger.js';
import { internals } from '../../core/internals.js';
import { hasPermission, type AdminAction } from '../../http/admin-permission.js';
import { textArea } from '../../pages-kit/fields.js';
import { counted } from '../../pages-kit/numbers.js';
import { formView } from '../form-view.js';
import { defineAdminPage, type Call, type FormView, type Page, type View } from '../page.js';
import { nameOf, pathOf, trailToUsers } from '../person.js';
import type { AdminTexts } from '../texts/texts.js';
import { resultPage } from './results.js';
import { bulkPaths } from './selection.js';

/** How many users one form changes. */
const mostUsers = 100;

type Outcome = keyof AdminTexts['operations']['bulk']['outcomes'];
type BulkWords = AdminTexts['operations']['bulk'];

interface BulkChange {
  path: string;
  action: Extract<AdminAction, 'users.block' | 'users.signOut'>;
  title: (words: BulkWords) => string;
  lead: (words: BulkWords) => string;
  fields: (call: Call) => readonly Html[];
  submit: (texts: AdminTexts) => string;
  /** Changes one user. */
  change: (user: UserRecord, form: URLSearchParams, call: Call) => Promise<Outcome>;
}

/** A user of the form, or the id of one who cannot be shown. */
type Selected =
  | { id: string; user: UserRecord; hidden?: undefined }
  | { id: string; user: null; hidden: Extract<Outcome, 'notAllowed' | 'notFound'> };

function idsOf(values: URLSearchParams): string[] {
  const ids = new Set(values.getAll('id').filter((id) => isUuid(id)));
  return [...ids].slice(0, mostUsers);
}

/** Asks as the page of one user does: the ids come from the request, not from the list that was shown. */
async function read({ authorize, service, session }: Call, ids: readonly string[]): Promise<Selected[]> {
  return Promise.all(
    ids.map(async (id): Promise<Selected> => {
      // Asked first, so that the answer does not reveal whether the user exists.
      if (!(await hasPermission(service, authorize, 'users.get', session, id)))
        return { id, user: null, hidden: 'notAllowed' };
      const user = await service.users.get(id).catch(absent);
      return user ? { id, user } : { id, user, hidden: 'notFound' };
    }),
  );
}

function absent(error: unknown): null {
  if (isServiceError(error) && error.code === 'user_not_found') return null;
  throw error;
}

function bulkPage(definition: BulkChange): Page {
  const { path, action } = definition;
  const access = 'recent';
  return defineAdminPage({
    path,
    access,
    action,
    async show(call, attempt) {
      const selected = await read(call, idsOf(attempt?.values ?? call.query));
      const others = selected.filter(({ id, user }) => user !== null && id !== call.me.id);
      return others.length === 0
        ? nothingSelected(call, definition)
        : formView(call, confirmation(call, definition, selected), attempt);
    },
    forms: {
      '': {
        access,
        action,
        async submit(form, call) {
          const results: [Selected, Outcome][] = [];
          // One after another: each is a change with its own record.
          for (const each of await read(call, idsOf(form)))
            results.push([each, await outcomeOf(definition, each, form, call)]);
          return resultsOf(call, definition, results);
        },
      },
    },
  });
}

/** Never throws: what was done to the users before is reported. */
async function outcomeOf(
  { action, change }: BulkChange,
  { id, user, hidden }: Selected,
  form: URLSearchParams,
  call: Call,
): Promise<Outcome> {
  const { authorize, me, service, session } = call;
  if (id === me.id) return 'self';
  if (user === null) return hidden;
  if (!(await hasPermission(service, authorize, action, session, id))) return 'notAllowed';
  try {
    return await change(user, form, call);
  } catch (error) {
    if (isServiceError(error) && error.code === 'user_not_found') return 'notFound';
    if (isServiceError(error) && error.code === 'not_authorized') return 'notAllowed';
    service[internals].logger.error(
      { event: 'bulk_change_failed', action, userId: id, err: describeError(error) },
      'a change of several users failed for one of them',
    );
    return 'failed';
  }
}

function confirmation(
  call: Call,
  { title, lead, fields, submit }: BulkChange,
  selected: readonly Selected[],
): FormView {
  const { me, texts } = call;
  const words = texts.operations.bulk;
  return {
    title: title(words),
    trail: trailToUsers(texts),
    lead: lead(words),
    warning: selected.some(({ id }) => id === me.id) && words.skipped,
    fields: [
      html`<ul class="selected" aria-label="${words.selected}">
        ${selected.map(
          (each) =>
            html`<li>
              ${person(call, each)}
              ${each.hidden && html`<span class="badge">${words.outcomes[each.hidden]}</span>`}
            </li>`,
        )}
      </ul>`,
      ...selected.map(({ id }) => html`<input type="hidden" name="id" value="${id}" />`),
      ...fields(call),
    ],
    submit: submit(texts),
    isDestructive: true,
    back: '/users',
  };
}

function person({ base, texts }: Call, { id, user }: Selected): Html {
  if (user === null) return html`<bdi>${id}</bdi>`;
  return html`<a href="${base}${pathOf(id)}"><bdi>${nameOf(texts, user)}</bdi></a>`;
}

function nothingSelected({ base, texts }: Call, { title }: BulkChange): View {
  const words = texts.operations.bulk;
  const body = html`<div class="empty">
    <h1>${words.none}</h1>
    <p>${words.noneLead}</p>
    <p><a class="button" href="${base}/users">${texts.errors.toUsers}</a></p>
  </div>`;
  return { title: title(words), trail: trailToUsers(texts), body };
}

function resultsOf(call: Call, { title }: BulkChange, results: readonly [Selected, Outcome][]): View {
  const { language, texts } = call;
  const words = texts.operations.bulk;
  const done = results.filter(([, outcome]) => outcome === 'blocked' || outcome === 'signedOut').length;
  return resultPage(call, {
    title: title(words),
    text: words.changed(counted(language, done), counted(language, results.length)),
    label: words.selected,
    heading: texts.users.user,
    lines: results.map(([each, outcome]) => ({ who: person(call, each), outcome: words.outcomes[outcome] })),
  });
}

export const bulkForms: readonly Page[] = [
  bulkPage({
    path: bulkPaths.block,
    action: 'users.block',
    title: ({ blockTitle }) => blockTitle,
    lead: ({ blockLead }) => blockLead,
    fields: ({ texts: { actions, optional } }) => [
      textArea({
        name: 'reason',
        label: actions.reasonLabel,
        optional,
        hint: actions.block.reasonHint,
        maxLength: 500,
      }),
    ],
    submit: ({ operations }) => operations.bulk.blockTitle,
    async change(user, form, { by, service }) {
      // The reason and the end of a block that is in force stay.
      if (user.blocked) return 'already';
      const reason = (form.get('reason') ?? '').trim().replaceAll('\r\n', '\n').slice(0, 500);
      await service.users.block(user.id, { ...(reason && { reason }) }, by);
      return 'blocked';
    },
  }),
  bulkPage({
    path: bulkPaths.signOut,
    action: 'users.signOut',
    title: ({ signOutTitle }) => signOutTitle,
    lead: ({ signOutLead }) => signOutLead,
    fields: () => [],
    submit: ({ operations }) => operations.bulk.signOutTitle,
    async change(user, _form, { by, service }) {
      await service.users.signOut(user.id, by);
      return 'signedOut';
    },
  }),
];
