/** Adds new mails to the inbox as they come, and copies codes and links. */
const list = document.getElementById('mails');
const news = document.getElementById('news');

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]');
  if (!button) return;
  const label = button.textContent;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = 'Copied';
  news.textContent = 'Copied';
  setTimeout(() => (button.textContent = label), 1500);
});

async function refresh() {
  const response = await fetch('/inbox');
  const page = new window.DOMParser().parseFromString(await response.text(), 'text/html');
  const fresh = [...page.querySelectorAll('article')].filter(({ id }) => !document.getElementById(id));
  list.prepend(...fresh);
  if (fresh.length > 0) news.textContent = `New mail: ${fresh[0].querySelector('h2').textContent}`;
}

function refreshForEver() {
  // Out of sight, or with the example stopped, the next round is soon enough.
  const round = document.visibilityState === 'visible' ? refresh().catch(() => undefined) : Promise.resolve();
  void round.then(() => setTimeout(refreshForEver, 1500));
}
refreshForEver();
