/** Exports the data of the account, and deletes the account. */
import { auth } from '../auth.js';
import { el, get } from '../dom.js';
import { leaveFor, onSubmit } from '../forms.js';
import { again } from '../sign-in-again.js';

export function startYourData(): void {
  onSubmit(get<HTMLFormElement>('export'), async () => {
    const data = await again(() => auth.account.export());
    const file = new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' });
    const url = URL.createObjectURL(file);
    el('a', { href: url, download: 'acme-account.json' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });

  const dialog = get<HTMLDialogElement>('delete-dialog');
  get('open-delete').addEventListener('click', () => dialog.showModal());
  dialog.querySelector('[data-close]')?.addEventListener('click', () => dialog.close());
  onSubmit(get<HTMLFormElement>('delete-account'), async ({ word = '' }) => {
    if (word.trim().toLowerCase() !== 'delete') {
      throw Object.assign(new Error('Type the word “delete”.'), { code: 'wrong_word' });
    }
    await again(() => auth.account.remove());
    await leaveFor('/sign-in?notice=deleted');
  });
}
