/** After a mail: a pause before it can be sent again, and a tab that notices when the link was opened. */
/* exported enhanceMail */

let timers = [];

const enhanceMail = () => {
  timers.forEach(clearInterval);
  timers = [];
  for (const button of document.querySelectorAll('[data-pause]')) pause(button);
  const waiting = document.querySelector('[data-waiting]');
  if (waiting) {
    waiting.hidden = false;
    timers.push(setInterval(() => look(waiting.dataset), 3000));
  }
};

const pause = (button) => {
  const label = button.textContent;
  const end = Date.now() + 1000 * Number(button.dataset.pause);
  const tick = () => {
    const seconds = Math.ceil((end - Date.now()) / 1000);
    button.disabled = seconds > 0;
    button.textContent = seconds > 0 ? button.dataset.pausedLabel.replace('#', String(seconds)) : label;
    if (seconds <= 0) clearInterval(timer);
  };
  const timer = setInterval(tick, 1000);
  timers.push(timer);
  tick();
};

const look = async ({ waiting, arrive }) => {
  if (document.hidden) return;
  const response = await fetch(waiting).catch(() => null);
  if (response?.status === 200) location.assign(arrive);
};
