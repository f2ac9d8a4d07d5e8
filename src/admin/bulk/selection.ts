/** The check boxes of the list of users, and the buttons below it. Both lead to a page that asks. */
import type { UserRecord } from '../../domain/user-record.js';
import { html, type Html } from '../../html/html.js';
import type { Call } from '../page.js';
import { nameOf } from '../person.js';

/** What the administrator may do to users at all. Whether to each of them is asked before it is done. */
export interface BulkActions {
  block: boolean;
  signOut: boolean;
}

const formId = 'bulk';
export const bulkPaths = { block: '/users/bulk/block', signOut: '/users/bulk/sign-out' } as const;

export function bulkBox({ texts }: Call, user: UserRecord, { block, signOut }: BulkActions): Html | false {
  return (
    (block || signOut) &&
    html`<label class="select"
      ><input type="checkbox" name="id" value="${user.id}" form="${formId}" /><span class="hidden"
        >${texts.operations.bulk.select(nameOf(texts, user))}</span
      ></label
    >`
  );
}

/** Sent with GET: it changes nothing, and the next page lists whom. */
export function bulkButtons({ base, texts }: Call, { block, signOut }: BulkActions): Html | false {
  const { operations, user } = texts;
  const button = (path: string, label: string, look: string) =>
    html`<button class="${look}" formaction="${base}${path}">${label}</button>`;
  return (
    (block || signOut) &&
    html`<form id="${formId}" method="get" action="${base}${bulkPaths.signOut}" class="bulk">
      <p class="soft">${operations.bulk.selected}</p>
      <div class="buttons">
        ${signOut && button(bulkPaths.signOut, user.signOut, 'button')}
        ${block && button(bulkPaths.block, user.block, 'button danger-outline')}
      </div>
    </form>`
  );
}
