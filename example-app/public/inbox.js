/** Adds new messages to the inbox as they arrive. */
/* global document, DOMParser, setInterval */
const list = document.getElementById('messages');

async function refresh() {
  const text = await (await fetch('/inbox')).text();
  const page = new DOMParser().parseFromString(text, 'text/html');
  const isNew = ({ id }) => !document.getElementById(id);
  const messages = [...page.querySelectorAll('article')].filter(isNew);
  list.prepend(...messages);
  const subject = messages[0]?.querySelector('h2').textContent;
  if (subject) document.getElementById('news').textContent = `New message: ${subject}`;
}

setInterval(() => {
  // Skips hidden tabs, and ignores errors while the example is stopped.
  if (document.visibilityState === 'visible') refresh().catch(() => undefined);
}, 1500);
