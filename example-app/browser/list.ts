/** Lists that are loaded from a route: loading, empty, rows, or an error. */
import { el } from './dom.js';
import type { Failure } from './auth.js';

/** @returns a function that reloads the list. */
export function liveList<Item>(
  list: HTMLElement,
  read: () => Promise<readonly Item[]>,
  row: (item: Item) => HTMLElement,
): () => Promise<void> {
  return async function refresh() {
    list.setAttribute('aria-busy', 'true');
    try {
      const rows = (await read()).map(row);
      const emptyRow = el('li', { class: 'soft' }, list.dataset['nothing']);
      keepingFocus(list, () => list.replaceChildren(...(rows.length > 0 ? rows : [emptyRow])));
    } catch (error) {
      const retry = el('button', { type: 'button', class: 'quiet' }, 'Try again');
      retry.addEventListener('click', () => void refresh());
      list.replaceChildren(el('li', { class: 'error', role: 'alert' }, (error as Failure).message, retry));
    } finally {
      list.removeAttribute('aria-busy');
    }
  };
}

/** Replaces the rows and keeps the focus: on the same control, or on the list if that control no longer exists. */
function keepingFocus(list: HTMLElement, replace: () => void): void {
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  replace();
  if (!focused) return;
  const label = focused.getAttribute('aria-label');
  const sameControl = label && list.querySelector<HTMLElement>(`[aria-label="${CSS.escape(label)}"]`);
  list.tabIndex = -1;
  (sameControl || list).focus();
}
