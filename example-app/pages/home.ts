/** The product: a page of notes, visible only to their author. */
import { field, form } from './fields.js';
import { html } from './html.js';
import { memberTop, nameOf, page, type Visitor } from './layout.js';

export function homePage(visitor: Visitor): string {
  const { user, guest } = visitor;
  const invitation = html`<div class="banner">
    <p>
      You are using Acme as a guest. <a href="/account#keep">Keep your notes</a> or
      <a href="/sign-in">sign in</a>.
    </p>
  </div>`;
  return page({
    title: 'Notes',
    script: 'home',
    user,
    body: html`${memberTop(visitor, 'notes')}
      <main class="wide">
        ${guest && invitation}
        <div>
          <h1>Your notes</h1>
          <p class="soft">Signed in as <strong>${nameOf(user, guest)}</strong>.</p>
        </div>
        ${form(
          { id: 'write', route: '', submit: 'Add note', busy: 'Adding…', inline: true },
          field({ id: 'text', name: 'text', label: 'New note', autocomplete: 'off', maxlength: 500 }),
        )}
        <ul class="notes" id="notes" aria-busy="true"></ul>
        <div class="empty" id="no-notes" hidden>
          <p><strong>No notes yet.</strong></p>
          <p class="soft">Write your first note above.</p>
        </div>
        <p class="error" role="alert" id="notes-error"></p>
      </main>`,
  });
}
