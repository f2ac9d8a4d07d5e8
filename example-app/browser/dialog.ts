/** Dialogs that the scripts open: a confirmation before something is removed, and a prompt to reload the page. */
import { el } from './dom.js';

export interface Question {
  /** Names the thing: `Delete Analytical Engines?` */
  title: string;
  /** The consequence of the action. */
  text: string;
  /** The label of the confirming button, a verb and its object: `Delete organization`. */
  verb: string;
}

/** Asks for confirmation before something is removed. @returns false if the user cancels, also with the Escape key. */
export function confirmed({ title, text, verb }: Question): Promise<boolean> {
  const cancel = el('button', { type: 'button', class: 'plain' }, 'Cancel');
  const confirm = el('button', { type: 'button', class: 'danger' }, verb);
  const dialog = open(title, text, el('div', { class: 'row' }, confirm, cancel));
  // The focus starts on the button that removes nothing.
  cancel.focus();
  return new Promise((resolve) => {
    cancel.addEventListener('click', () => dialog.close());
    confirm.addEventListener('click', ({ detail }) => {
      // The second click of a double click on the button that opened the dialog must not confirm.
      if (detail <= 1) dialog.close('confirmed');
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'confirmed');
    });
  });
}

/** Blocks the page after another tab has signed in to a different account. */
export function askToReload(): void {
  const reload = el('button', { type: 'button' }, 'Reload page');
  reload.addEventListener('click', () => location.reload());
  const dialog = open('You are now signed in to a different account.', 'Nothing was changed.', reload);
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  reload.focus();
}

function open(title: string, text: string, buttons: HTMLElement): HTMLDialogElement {
  const dialog = el(
    'dialog',
    { 'aria-labelledby': 'dialog-title', 'aria-describedby': 'dialog-text' },
    el('div', {}, el('h2', { id: 'dialog-title' }, title), el('p', { id: 'dialog-text' }, text), buttons),
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
