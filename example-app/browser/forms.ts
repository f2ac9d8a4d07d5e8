/**
 * Behavior of every form and button: an action runs once however often the button is clicked, the button shows that it is
 * busy, and an error appears next to the field that caused it.
 */
import { auth, codeOf, type Failure } from './auth.js';
import { askToReload, confirmed, type Question } from './dialog.js';
import { say } from './dom.js';

export type Fields = Record<string, string>;

/** Runs `act` with the fields when the form is submitted and the user has confirmed the question, if any. */
export function onSubmit(
  form: HTMLFormElement,
  act: (fields: Fields) => Promise<unknown>,
  question?: Question,
): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = fieldsOf(form);
    // Users paste codes with spaces.
    if (fields['code'] !== undefined) fields['code'] = fields['code'].replace(/\s/g, '');
    void run(form, submitButton(form), () => act(fields), question);
  });
  if (form.dataset['early'] !== undefined) form.requestSubmit();
}

/** Runs `act` when the button is clicked. Errors appear in the enclosing form, dialog or section. */
export function onClick(button: HTMLButtonElement, act: () => Promise<unknown>, question?: Question): void {
  button.addEventListener('click', () => {
    void run(button.closest('form, dialog, section') ?? document.body, button, act, question);
  });
}

/** Sends another code when the "Resend code" button of the form is clicked. */
export function onResend(form: HTMLFormElement, send: (fields: Fields) => Promise<unknown>): void {
  onClick(form.querySelector<HTMLButtonElement>('[data-resend]')!, async () => {
    await send(fieldsOf(form));
    say('Code sent.');
  });
}

/** Leaves the page. Never resolves, so that the button stays busy and cannot be clicked again. */
export function leaveFor(url: string): Promise<never> {
  location.assign(url);
  return new Promise(() => undefined);
}

async function run(
  scope: Element,
  button: HTMLButtonElement,
  act: () => Promise<unknown>,
  question?: Question,
): Promise<void> {
  // Not `disabled`, which would remove the focus.
  if (button.getAttribute('aria-disabled') === 'true') return;
  if (question && !(await confirmed(question))) return;
  clearErrors(scope);
  const label = [...button.childNodes];
  const name = button.getAttribute('aria-label');
  button.setAttribute('aria-disabled', 'true');
  if (button.dataset['busy']) {
    button.replaceChildren(button.dataset['busy']);
    // The label would otherwise hide the busy text from screen readers.
    button.removeAttribute('aria-label');
  }
  try {
    await act();
  } catch (error) {
    if (codeOf(error) === 'token_invalid' && (await sessionEnded())) {
      await leaveFor(`/sign-in?notice=ended&next=${location.pathname}`);
    }
    showError(scope, error);
  } finally {
    button.removeAttribute('aria-disabled');
    button.replaceChildren(...label);
    if (name !== null) button.setAttribute('aria-label', name);
  }
}

/** Returns true if the page requires a session and the session has ended, here or from another device. */
async function sessionEnded(): Promise<boolean> {
  if (!document.getElementById('logout')) return false;
  return auth.session().then(
    ({ user }) => user === null,
    () => false,
  );
}

/** The field that each error code concerns. Other errors concern the whole form. */
const fieldByCode: Record<string, RegExp> = {
  code_invalid: /code/i,
  code_expired: /code/i,
  code_not_found: /code/i,
  max_attempts_exceeded: /code/i,
  email_exists: /email/i,
  invalid_credentials: /password/i,
  weak_password: /newPassword|^password$/,
  // The browser accepts some addresses and numbers that the server refuses.
  invalid_request: /email|code|phone|name|text/i,
};

const malformed: Record<string, string> = {
  email: 'Enter a valid email address.',
  newEmail: 'Enter a valid email address.',
  code: 'Enter the code from the message.',
  phone: 'Enter a valid phone number, starting with + and the country code.',
};

/** Replaces messages of the client that are written for developers. */
const messageByCode: Record<string, string> = {
  network_error: 'The server did not respond. Check your connection and try again.',
  passkey_cancelled: 'No passkey was used. Try again or choose another method.',
  passkey_exists: 'This device already has a passkey for your account.',
};

export function showError(scope: Element, error: unknown): void {
  const code = codeOf(error);
  // A user who closes the dialog needs no error message.
  if (code === 'canceled') return;
  if (code === 'session_changed') return askToReload();
  const { message, field, retryAfterMs } = error as Failure;
  const inputs = [...scope.querySelectorAll<HTMLInputElement>('input:not([type=hidden], [type=radio])')];
  const invalidInput =
    inputs.find(({ name }) => name === field) ?? inputs.find(({ name }) => fieldByCode[code]?.test(name));
  let text =
    (code === 'invalid_request' && invalidInput && malformed[invalidInput.name]) ||
    (messageByCode[code] ?? message);
  if (retryAfterMs) text = `Too many attempts. Try again in ${duration(retryAfterMs)}.`;
  if (invalidInput) {
    const place = document.getElementById(`${invalidInput.id}-error`);
    if (place) place.textContent = text;
    invalidInput.setAttribute('aria-invalid', 'true');
    invalidInput.focus();
    invalidInput.select();
    return;
  }
  const place = scope.querySelector('[data-message]') ?? document.querySelector('[data-message]');
  if (place) place.textContent = text;
}

export function clearErrors(scope: Element): void {
  for (const place of scope.querySelectorAll('.error[id$="-error"], [data-message]')) place.textContent = '';
  for (const input of scope.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

// The error concerns the value that was sent, not the one that the user is typing.
document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.hasAttribute('aria-invalid')) return;
  target.removeAttribute('aria-invalid');
  const place = document.getElementById(`${target.id}-error`);
  if (place) place.textContent = '';
});

function fieldsOf(form: HTMLFormElement): Fields {
  return Object.fromEntries([...new FormData(form)].filter(isText));
}

function isText(entry: [string, FormDataEntryValue]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

function submitButton(form: HTMLFormElement): HTMLButtonElement {
  return form.querySelector<HTMLButtonElement>('button:not([type=button])')!;
}

function duration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes <= 1 ? '1 minute' : `${minutes} minutes`;
}

// The second click of a double-click must not press the button that the first one has just brought under the pointer.
let pressed: Element | null = null;
document.addEventListener(
  'click',
  (event) => {
    const control = event.target instanceof Element ? event.target.closest('button, a') : null;
    if (event.detail > 1 && control !== pressed) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    pressed = control;
  },
  true,
);

// The Back button restores a page as it was left: busy.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
