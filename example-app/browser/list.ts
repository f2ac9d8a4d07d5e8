/** Lists that are read from a route: loading, nothing, rows, or what went wrong. */
import { el } from './dom.js';
import type { Failure } from './auth.js';

/** @returns what reads the list anew. */
export function liveList<Item>(
  list: HTMLElement,
  read: () => Promise<readonly Item[]>,
  row: (item: Item) => HTMLElement,
): () => Promise<void> {
  return async function refresh() {
    list.setAttribute('aria-busy', 'true');
    try {
      const rows = (await read()).map(row);
      const nothing = el('li', { class: 'soft' }, list.dataset['nothing']);
      keepingFocus(list, () => list.replaceChildren(...(rows.length > 0 ? rows : [nothing])));
    } catch (error) {
      const retry = el('button', { type: 'button', class: 'quiet' }, 'Try again');
      retry.addEventListener('click', () => void refresh());
      list.replaceChildren(el('li', { class: 'error', role: 'alert' }, (error as Failure).message, retry));
    } finally {
      list.removeAttribute('aria-busy');
    }
  };
}

/** Whoever was in the list stays there: on the same control, or where it is gone on the list, and not on the next thing to remove. */
function keepingFocus(list: HTMLElement, replace: () => void): void {
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  replace();
  if (!focused) return;
  const label = focused.getAttribute('aria-label');
  const same = label && list.querySelector<HTMLElement>(`[aria-label="${CSS.escape(label)}"]`);
  list.tabIndex = -1;
  (same || list).focus();
}
