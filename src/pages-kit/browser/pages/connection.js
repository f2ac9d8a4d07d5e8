/** A server that cannot be reached, or that takes long: a sentence next to the button says so, and what was typed stays. */
/* exported isLost, reach, sayLost */

const slowMs = 8000;
const patienceMs = 40000;
const lost = new Error('The server was not reached.');
const isLost = (error) => error === lost;
const sentences = () => document.querySelector('meta[name=svc-pages]').dataset;

/** Shows a sentence before a button, or none. Screen readers read an alert at once. */
const say = (button, text, role) => {
  button.parentElement?.querySelector(':scope > .connection')?.remove();
  if (text === undefined) return;
  const line = document.createElement('p');
  line.className = 'connection';
  line.setAttribute('role', role);
  button.before(line);
  line.textContent = text;
};

const sayLost = (button) => {
  const { offline, unreachable } = sentences();
  say(button, navigator.onLine ? unreachable : offline, 'alert');
};

/** Sends a request and reads the whole response. Throws `lost` without one. */
const reach = async (button, url, init) => {
  const controller = new AbortController();
  const slow = setTimeout(() => say(button, sentences().slow, 'status'), slowMs);
  const end = setTimeout(() => controller.abort(), patienceMs);
  say(button);
  try {
    const response = await fetch(url, { ...init, signal: controller.signal });
    return { response, text: await response.text() };
  } catch {
    throw lost;
  } finally {
    clearTimeout(slow);
    clearTimeout(end);
    say(button);
  }
};
