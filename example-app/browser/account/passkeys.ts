/** Passkeys: lists, adds and removes them. */
import { auth } from '../auth.js';
import { day, el, get, say } from '../dom.js';
import { onClick, onSubmit } from '../forms.js';
import { liveList } from '../list.js';
import { again } from '../sign-in-again.js';

export function startPasskeys(): void {
  const refresh = liveList(
    get('passkey-list'),
    async () => (await auth.passkeys.list()).passkeys,
    ({ id, backedUp, createdAt, lastUsedAt }) => {
      const remove = el(
        'button',
        { type: 'button', class: 'quiet danger', 'data-busy': 'Removing…' },
        'Remove',
      );
      const question = {
        title: 'Remove this passkey?',
        text: 'You can no longer sign in with it.',
        verb: 'Remove passkey',
      };
      onClick(
        remove,
        async () => {
          await again(() => auth.passkeys.remove(id));
          await refresh();
          say('Passkey removed. Delete it from your device too.');
        },
        question,
      );
      const used = lastUsedAt ? el('span', {}, 'last used ', day(lastUsedAt)) : 'not used yet';
      const name = el('strong', {}, backedUp ? 'Synced passkey added ' : 'Passkey added ', day(createdAt));
      return el('li', {}, el('p', {}, name, el('br'), el('span', { class: 'soft' }, used)), remove);
    },
  );
  onSubmit(get<HTMLFormElement>('add-passkey'), async () => {
    await again(() => auth.passkeys.register());
    await refresh();
    say('Passkey added.');
  });
  void refresh();
}
