/** Lists that are read from a route: loading, nothing, rows, or what went wrong. */
import { el, get } from './dom.js';
import type { Failure } from './auth.js';

/** @returns what reads the list anew. */
export function liveList<Item>(
  id: string,
  read: () => Promise<readonly Item[]>,
  row: (item: Item) => HTMLElement,
): () => Promise<void> {
  const list = get(id);
  return async function refresh() {
    list.setAttribute('aria-busy', 'true');
    try {
      const rows = (await read()).map(row);
      const nothing = el('li', { class: 'soft' }, list.dataset['nothing']);
      list.replaceChildren(...(rows.length > 0 ? rows : [nothing]));
    } catch (error) {
      const retry = el('button', { type: 'button', class: 'quiet' }, 'Try again');
      retry.addEventListener('click', () => void refresh());
      list.replaceChildren(el('li', { class: 'error', role: 'alert' }, (error as Failure).message, retry));
    } finally {
      list.removeAttribute('aria-busy');
    }
  };
}
