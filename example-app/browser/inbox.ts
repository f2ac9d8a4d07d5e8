/** Adds new messages to the inbox as they come, and copies codes and links. */
import { onCopy } from './copy.js';
import { get } from './dom.js';

onCopy();

async function refresh(): Promise<void> {
  const response = await fetch('/inbox');
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const fresh = [...page.querySelectorAll('article')].filter(({ id }) => !document.getElementById(id));
  get('messages').prepend(...fresh);
  const subject = fresh[0]?.querySelector('h2')?.textContent;
  if (subject) get('news').textContent = `New message: ${subject}`;
}

function refreshForEver(): void {
  // Out of sight, or with the example stopped, the next round is soon enough.
  const round = document.visibilityState === 'visible' ? refresh().catch(() => undefined) : Promise.resolve();
  void round.then(() => setTimeout(refreshForEver, 1500));
}
refreshForEver();
