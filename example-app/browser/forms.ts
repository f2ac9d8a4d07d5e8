/**
 * What every form and button does: runs once however often it is clicked, says that it is busy, and says what went wrong
 * next to the field that it is about.
 */
import { auth, codeOf, type Failure } from './auth.js';
import { askToReload, confirmed, type Question } from './dialog.js';

export type Fields = Record<string, string>;

/** Runs `act` with the fields when the form is submitted and the question, if there is one, is answered with yes. */
export function onSubmit(
  form: HTMLFormElement,
  act: (fields: Fields) => Promise<unknown>,
  question?: Question,
): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const fields: Fields = Object.fromEntries([...new FormData(form)].filter(isText));
    // Codes are pasted with spaces.
    if (fields['code'] !== undefined) fields['code'] = fields['code'].replace(/\s/g, '');
    void run(form, submitButton(form), () => act(fields), question);
  });
  if (form.dataset['early'] !== undefined) form.requestSubmit();
}

/** The same for a button that is clicked. Errors are shown in the nearest place for them. */
export function onClick(button: HTMLButtonElement, act: () => Promise<unknown>, question?: Question): void {
  button.addEventListener('click', () => {
    void run(button.closest('form, dialog, section') ?? document.body, button, act, question);
  });
}

/** Leaves the page. Never resolves, so whoever waits for it stays busy and cannot be clicked again. */
export function leaveFor(address: string): Promise<never> {
  location.assign(address);
  return new Promise(() => undefined);
}

async function run(
  scope: Element,
  button: HTMLButtonElement,
  act: () => Promise<unknown>,
  question?: Question,
): Promise<void> {
  // Not `disabled`, which would drop the focus.
  if (button.getAttribute('aria-disabled') === 'true') return;
  if (question && !(await confirmed(question))) return;
  clearErrors(scope);
  const label = [...button.childNodes];
  const name = button.getAttribute('aria-label');
  button.setAttribute('aria-disabled', 'true');
  if (button.dataset['busy']) {
    button.replaceChildren(button.dataset['busy']);
    // Or it would be busy for those alone who see it.
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

/** On the pages behind the sign-in: whether it ended meanwhile, here or from another device. */
async function sessionEnded(): Promise<boolean> {
  if (!document.getElementById('logout')) return false;
  return auth.session().then(
    ({ user }) => user === null,
    () => false,
  );
}

/** Which field an error is about; all others concern the whole form. */
const blames: Record<string, RegExp> = {
  code_invalid: /code/i,
  code_expired: /code/i,
  code_not_found: /code/i,
  max_attempts_exceeded: /code/i,
  email_exists: /email/i,
  invalid_credentials: /password/i,
  weak_password: /newPassword|^password$/,
  // The browser lets addresses and numbers pass that no message can reach.
  invalid_request: /email|code|phone|name|text/i,
};

const malformed: Record<string, string> = {
  email: 'This does not look like an email address. Check it.',
  newEmail: 'This does not look like an email address. Check it.',
  code: 'Enter the code from the message.',
  phone: 'This does not look like a phone number. Begin with + and the country code.',
};

/** Where the words of the client are for developers. */
const ours: Record<string, string> = {
  network_error: 'There was no answer. Check the connection, then try again.',
  passkey_cancelled: 'No passkey was used. Try again, or choose another way.',
  passkey_exists: 'This device has a passkey for your account already.',
};

export function showError(scope: Element, error: unknown): void {
  const code = codeOf(error);
  // Whoever closes a dialog has not failed at anything.
  if (code === 'cancelled') return;
  if (code === 'session_changed') return askToReload();
  const { message, field, retryAfterMs } = error as Failure;
  const inputs = [...scope.querySelectorAll<HTMLInputElement>('input:not([type=hidden], [type=radio])')];
  const blamed =
    inputs.find(({ name }) => name === field) ?? inputs.find(({ name }) => blames[code]?.test(name));
  let words = (code === 'invalid_request' && blamed && malformed[blamed.name]) || (ours[code] ?? message);
  if (retryAfterMs) words += ` You can try again in ${duration(retryAfterMs)}.`;
  if (blamed) {
    const place = document.getElementById(`${blamed.id}-error`);
    if (place) place.textContent = words;
    blamed.setAttribute('aria-invalid', 'true');
    blamed.focus();
    blamed.select();
    return;
  }
  const place = scope.querySelector('[data-message]') ?? document.querySelector('[data-message]');
  if (place) place.textContent = words;
}

export function clearErrors(scope: Element): void {
  for (const place of scope.querySelectorAll('.error[id$="-error"], [data-message]')) place.textContent = '';
  for (const input of scope.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

// An error is about the value that was sent, not about the one that is being typed.
document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.hasAttribute('aria-invalid')) return;
  target.removeAttribute('aria-invalid');
  const place = document.getElementById(`${target.id}-error`);
  if (place) place.textContent = '';
});

function isText(entry: [string, FormDataEntryValue]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

function submitButton(form: HTMLFormElement): HTMLButtonElement {
  return form.querySelector<HTMLButtonElement>('button:not([type=button])')!;
}

function duration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes <= 1 ? 'a minute' : `${minutes} minutes`;
}

// A page that comes back by the Back button comes back as it was left: busy.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
