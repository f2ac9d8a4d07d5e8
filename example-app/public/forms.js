/** All forms of the example: post the fields as JSON, say what went wrong next to the field, go on when it went well. */

/** What comes after each form. A page's address ends the visit; a step stays on the page. */
const afterwards = {
  'code-send': (fields) => step('code-verify', fields),
  'code-verify': () => leaveFor('/'),
  'link-send': (fields) => step('link-sent', fields),
  login: () => leaveFor('/'),
  signup: () => leaveFor('/'),
  forgot: (fields) => step('forgot-sent', fields),
  reset: () => leaveFor('/sign-in?method=password&notice=password-changed'),
  logout: () => leaveFor('/sign-in?notice=signed-out'),
};

/** Which field an error is about; all others concern the whole form. */
const blames = {
  code_invalid: 'code',
  code_expired: 'code',
  code_not_found: 'code',
  max_attempts_exceeded: 'code',
  email_exists: 'email',
  invalid_credentials: 'password',
  weak_password: /password/i,
  // The browser lets addresses pass that no mail can reach.
  invalid_request: /email|code/,
};

const malformed = {
  email: 'This does not look like an email address. Check it.',
  code: 'Enter the code from the mail.',
};

for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(form);
  });
}

for (const button of document.querySelectorAll('[data-step]')) {
  button.addEventListener('click', () => step(button.dataset.step));
}

// An address that was typed for one method is there for the others.
const addresses = [...document.querySelectorAll('input[type=email]')];
for (const input of addresses) {
  input.addEventListener('input', () => addresses.forEach((other) => (other.value = input.value)));
}

readAddress();

// A page that comes back by the Back button comes back as it was left: busy.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

async function submit(form) {
  const button = form.querySelector('button:not([type=button])');
  if (button.disabled) return;
  clearErrors(form);
  const fields = Object.fromEntries(new FormData(form));
  // Codes are pasted with spaces.
  if (fields.code) fields.code = fields.code.replace(/\s/g, '');
  const label = button.textContent;
  button.disabled = true;
  button.textContent = button.dataset.busy;
  const { ok, body } = await post(form.action, fields);
  const leaving = ok && afterwards[form.id](fields);
  if (leaving) return;
  button.disabled = false;
  button.textContent = label;
  if (ok) return;
  // The link was used or is too old: nothing to be mended in the form.
  if (form.id === 'reset' && body.error === 'token_invalid') step('reset-needs-link');
  else showError(form, body, button);
}

async function post(url, fields) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
    return { ok: response.ok, body: await response.json() };
  } catch {
    return { ok: false, body: { message: 'There was no answer. Check the connection, then try again.' } };
  }
}

/** Shows one step and hides its neighbours. The focus goes where the person goes on. */
function step(id, { email } = {}) {
  const shown = document.getElementById(id);
  for (const sibling of shown.parentElement.children) sibling.hidden = sibling !== shown;
  if (email !== undefined) {
    for (const place of shown.querySelectorAll('[data-show=email]')) place.textContent = email;
    for (const input of shown.querySelectorAll('input[type=hidden][name=email]')) input.value = email;
  }
  const inputs = [...shown.querySelectorAll('input:not([type=hidden])')];
  for (const input of inputs) if (input.type !== 'email') input.value = '';
  (inputs.find((input) => input.value === '') ?? inputs[0] ?? shown.querySelector('[tabindex]')).focus();
  return false;
}

function leaveFor(address) {
  location.assign(address);
  return true;
}

function showError(form, { error, message, retryAfterMs }, button) {
  const inputs = [...form.querySelectorAll('input:not([type=hidden])')];
  const blamed = inputs.find((input) => isBlamed(error, input));
  let words = message;
  if (error === 'invalid_request' && blamed) words = malformed[blamed.name];
  if (retryAfterMs) words += ` You can try again in ${duration(retryAfterMs)}.`;
  if (!blamed) {
    form.querySelector('[data-message]').textContent = words;
    button.focus();
    return;
  }
  document.getElementById(`${blamed.id}-error`).textContent = words;
  blamed.setAttribute('aria-invalid', 'true');
  blamed.focus();
  blamed.select();
}

function isBlamed(error, input) {
  const pattern = blames[error];
  return pattern instanceof RegExp ? pattern.test(input.name) : pattern === input.name;
}

function clearErrors(form) {
  for (const place of form.querySelectorAll('.error')) place.textContent = '';
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

function duration(ms) {
  const minutes = Math.ceil(ms / 60_000);
  return minutes <= 1 ? 'a minute' : `${minutes} minutes`;
}

/** Neither a token nor an old message stays in the address bar, the history or a bookmark. */
function readAddress() {
  const query = new URLSearchParams(location.search);
  if (location.hash === '#forgot') step('forgot');
  if (location.search || location.hash) history.replaceState(null, '', location.pathname);
  const reset = document.getElementById('reset');
  if (!reset) return;
  reset.elements.token.value = query.get('token') ?? '';
  if (!query.get('token')) step('reset-needs-link');
}
