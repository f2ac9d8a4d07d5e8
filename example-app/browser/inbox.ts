/** Adds new messages to the inbox as they arrive, and copies codes and links. */
import { onCopy } from './copy.js';
import { get } from './dom.js';

onCopy();

async function refresh(): Promise<void> {
  const response = await fetch('/inbox');
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const newArticles = [...page.querySelectorAll('article')].filter(({ id }) => !document.getElementById(id));
  get('messages').prepend(...newArticles);
  const subject = newArticles[0]?.querySelector('h2')?.textContent;
  if (subject) get('news').textContent = `New message: ${subject}`;
}

function keepRefreshing(): void {
  // Skips hidden tabs, and ignores errors while the example is stopped.
  const round = document.visibilityState === 'visible' ? refresh().catch(() => undefined) : Promise.resolve();
  void round.then(() => setTimeout(keepRefreshing, 1500));
}
keepRefreshing();
