/** The product: a page of notes, visible only to their author. */
import { html } from 'svc-auth/pages';
import { page, type Visitor } from './layout.js';

export interface Note {
  id: string;
  userId: string;
  text: string;
  writtenAt: string;
}

const maxLength = 500;

/** @param error what is wrong with the note that was submitted. */
export function notesPage(visitor: Visitor, notes: readonly Note[], error?: string): string {
  const { isGuest, user } = visitor;
  return page({
    title: 'Notes',
    visitor,
    body: html`${
        isGuest &&
        html`<p class="banner">
          You are using Acme as a guest. <a href="/sign-up?next=/">Create an account</a> to keep your notes.
        </p>`
      }
      <h1>Your notes</h1>
      <p class="soft">Signed in as <strong>${user.email ?? (isGuest ? 'a guest' : user.id)}</strong>.</p>
      <form method="post" action="/notes" class="write">
        <label for="text">New note</label>
        <input
          id="text"
          name="text"
          autocomplete="off"
          maxlength="${maxLength}"
          required
          ${error && html`aria-invalid="true" aria-describedby="text-error"`}
        />
        <button>Add note</button>
        ${error && html`<p class="error" id="text-error">${error}</p>`}
      </form>
      ${
        notes.length === 0
          ? html`<p class="soft">No notes yet. Write your first note above.</p>`
          : html`<ul class="notes">
              ${notes.map(
                ({ id, text, writtenAt }) =>
                  html`<li>
                    <p>${text}</p>
                    <div class="row">
                      <time class="soft" datetime="${writtenAt}">${writtenAt.slice(0, 10)}</time>
                      <details>
                        <summary>Delete<span class="hidden">: ${text.slice(0, 40)}</span></summary>
                        <form method="post" action="/notes/${id}/delete">
                          <button class="danger">Delete note</button>
                        </form>
                      </details>
                    </div>
                  </li>`,
              )}
            </ul>`
      }`,
  });
}

/** Returns the note, or null if it is empty or too long. */
export function parseNote(input: unknown): string | null {
  const text = typeof input === 'string' ? input.trim() : '';
  return text === '' || text.length > maxLength ? null : text;
}
