/** What a script adds to the account: secrets can be copied and printed, times are local, and passkeys can be created. */
/* global hasPasskeys, post, whileCreating */
/* exported enhanceAccount */

const enhanceAccount = () => {
  for (const button of document.querySelectorAll('[data-copy]')) button.hidden = !navigator.clipboard;
  for (const button of document.querySelectorAll('[data-print]')) button.hidden = false;
  const written = (time, options) =>
    new Intl.DateTimeFormat(document.documentElement.lang, options).format(new Date(time.dateTime));
  for (const time of document.querySelectorAll('time[data-show]')) {
    const timeStyle = time.dataset.show === 'time' ? 'short' : undefined;
    const day = { month: 'short', day: 'numeric' };
    time.textContent = written(time, time.dataset.show === 'day' ? day : { dateStyle: 'medium', timeStyle });
  }
  for (const time of document.querySelectorAll('time[data-ago]'))
    time.title = written(time, { dateStyle: 'medium', timeStyle: 'short' });
  showSection();
  for (const button of document.querySelectorAll('[data-passkey-add]')) {
    const canCreate = hasPasskeys && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
    button.hidden = !canCreate;
    document.querySelector('[data-passkey-name]').hidden = !canCreate;
    if (!canCreate) sayPasskey(button.dataset.unsupported);
  }
};

/** On narrow screens the navigation is a row that scrolls, and the section may be at its end. */
const showSection = () => {
  const row = document.querySelector('.sections ul');
  const section = row?.querySelector('[aria-current]');
  if (!section || row.scrollWidth <= row.clientWidth) return;
  const [outer, inner] = [row.getBoundingClientRect(), section.getBoundingClientRect()];
  row.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
};

const sayPasskey = (text) => {
  const message = document.querySelector('[data-passkey-message]');
  message.textContent = text;
  message.hidden = text === '';
};

const copyFrom = async (button) => {
  const source = document.querySelector(button.dataset.copy);
  const lines = [...source.querySelectorAll('li')].map((line) => line.textContent.trim());
  await navigator.clipboard.writeText(lines.length > 0 ? lines.join('\n') : source.textContent.trim());
  const label = button.textContent;
  if (label === button.dataset.done) return;
  button.textContent = button.dataset.done;
  setTimeout(() => (button.textContent = label), 2000);
};

const addPasskey = async (button) => {
  const { passkeyAdd, failed, then } = button.dataset;
  sayPasskey('');
  button.setAttribute('aria-busy', 'true');
  try {
    const result = await whileCreating(async () => {
      const { ok, body } = await post(passkeyAdd + '/start', {});
      if (!ok) return null;
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(body.options);
      const credential = await navigator.credentials.create({ publicKey });
      const name = document.querySelector('[data-passkey-name] input').value.trim();
      return post(passkeyAdd + '/finish', { response: credential.toJSON(), ...(name && { name }) });
    });
    // The session has ended, or the sign-in is too old: the page asks to sign in, and leads back here.
    if (result === null) location.reload();
    else if (result.ok) location.assign(then);
    else sayPasskey(failed);
  } catch {
    sayPasskey(failed);
  } finally {
    button.removeAttribute('aria-busy');
  }
};

// The name of a passkey is not part of a form.
document.addEventListener('keydown', ({ key, target }) => {
  if (key === 'Enter' && target.closest('[data-passkey-name]'))
    document.querySelector('[data-passkey-add]').click();
});

document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-copy], [data-print], [data-passkey-add]');
  if (!button || button.getAttribute('aria-busy')) return;
  if (button.dataset.copy) void copyFrom(button);
  else if (button.dataset.passkeyAdd) void addPasskey(button);
  else print();
});
