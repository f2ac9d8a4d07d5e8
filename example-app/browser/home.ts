/** The product: reads, writes and deletes notes over the application's own routes. */
import { pageHeaders } from './auth.js';
import { day, el, get, say } from './dom.js';
import { onClick, onSubmit } from './forms.js';
import { startShell } from './shell.js';

interface Note {
  id: string;
  text: string;
  writtenAt: string;
}

startShell();
const list = get('notes');

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { 'Content-Type': 'application/json', ...pageHeaders };
  const signal = AbortSignal.timeout(15_000);
  const init = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
  const onNetworkError = (cause: unknown) => {
    throw Object.assign(new Error('The server did not respond.', { cause }), { code: 'network_error' });
  };
  const response = await fetch(path, init).catch(onNetworkError);
  const json = (await response.json().catch(onNetworkError)) as T & { error?: string; message?: string };
  if (response.ok) return json;
  throw Object.assign(new Error(json.message), { code: json.error });
}

function row(note: Note): HTMLElement {
  const remove = el('button', { type: 'button', class: 'quiet', 'data-busy': 'Deleting…' }, 'Delete');
  remove.setAttribute('aria-label', `Delete: ${note.text.slice(0, 40)}`);
  const item = el('li', {}, el('p', {}, note.text), el('p', { class: 'row' }, day(note.writtenAt), remove));
  onClick(
    remove,
    async () => {
      await call('DELETE', `/api/notes/${note.id}`);
      item.remove();
      showWhetherEmpty();
      get('text').focus();
      say('Note deleted.');
    },
    { title: 'Delete this note?', text: 'This cannot be undone.', verb: 'Delete note' },
  );
  return item;
}

function showWhetherEmpty(): void {
  get('no-notes').hidden = list.children.length > 0;
}

onSubmit(get<HTMLFormElement>('write'), async ({ text = '' }) => {
  const { note } = await call<{ note: Note }>('POST', '/api/notes', { text });
  list.prepend(row(note));
  showWhetherEmpty();
  get<HTMLFormElement>('write').reset();
  get('text').focus();
});

try {
  const { notes } = await call<{ notes: Note[] }>('GET', '/api/notes');
  list.append(...notes.map(row));
  showWhetherEmpty();
} catch {
  get('notes-error').textContent = 'Your notes could not be loaded. Reload the page to try again.';
}
list.removeAttribute('aria-busy');
