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
    const end = Date.now() + 1000 * Number(waiting.dataset.expires ?? Infinity);
    const tick = () => {
      if (Date.now() >= end) expire(waiting);
      // Also later: the link may have been opened just before it expired.
      look(waiting.dataset);
    };
    timers.push(setInterval(tick, 3000));
    if (Date.now() >= end) expire(waiting);
  }
};

const expire = (waiting) => {
  if (waiting.className !== 'waiting') return;
  waiting.className = 'banner note';
  waiting.textContent = waiting.dataset.expired;
  const resend = document.querySelector('form[action$="/again"]');
  if (!resend) return;
  resend.querySelector('button').className = 'primary';
  waiting.after(resend);
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
