/** The behavior of the sign-in page: `svc-auth/client` calls the routes, and a form does one thing at a time. */
import { createClient } from 'svc-auth/client';

const auth = createClient({ baseUrl: '/api/auth' });

const get = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;
const [address, code, error] = [get<HTMLFormElement>('address'), get<HTMLFormElement>('code'), get('error')];
const typed = (form: HTMLFormElement) => form.querySelector('input')!.value.trim();

/** What the user should read instead of a message for developers. */
const messages: Record<string, string> = {
  network_error: 'The server did not respond. Check your connection and try again.',
  invalid_request: 'Check what you have typed and try again.',
};

/** Runs an action once, however often its button is pressed. Shows its error. */
async function run(control: HTMLElement, action: () => Promise<unknown>): Promise<void> {
  if (control.getAttribute('aria-busy') === 'true') return;
  control.setAttribute('aria-busy', 'true');
  error.textContent = '';
  try {
    await action();
  } catch (cause) {
    const { code: reason, message } = cause as Error & { code?: string };
    // The account has a second factor. The page of the package asks for it; a page of your own calls `auth.mfa.verify()`.
    if (reason === 'mfa_required') return location.assign('/two-factor');
    // Not an error: the user closed the prompt of the browser.
    if (reason !== 'passkey_cancelled') error.textContent = messages[reason ?? ''] ?? message;
  } finally {
    control.removeAttribute('aria-busy');
  }
}

const arrive = () => location.assign('/');

function show(form: HTMLFormElement): void {
  address.hidden = form !== address;
  code.hidden = form !== code;
  form.querySelector('input')!.focus();
}

address.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(address, async () => {
    const email = typed(address);
    await auth.emailCode.send({ email });
    get('sent-to').textContent = email;
    show(code);
  });
});

code.addEventListener('submit', (event) => {
  event.preventDefault();
  // Users paste codes with spaces.
  const digits = typed(code).replace(/\s/g, '');
  void run(code, async () => {
    await auth.emailCode.verify({ email: typed(address), code: digits });
    arrive();
  });
});

get('other-address').addEventListener('click', () => show(address));
get('guest').addEventListener('click', ({ currentTarget }) => {
  void run(currentTarget as HTMLElement, () => auth.guest.create().then(arrive));
});
get<HTMLAnchorElement>('google').href = auth.google.startUrl();

const { available, autofill } = await auth.passkeys.support();
const passkey = get('passkey');
passkey.hidden = !available;
passkey.addEventListener('click', () => {
  void run(passkey, () => auth.passkeys.authenticate().then(arrive));
});
// The browser suggests passkeys in the address field. Its ceremony ends when the button begins another one.
// Without a message if it fails: the user may not have asked for it.
if (autofill) auth.passkeys.authenticate({ autofill: true }).then(arrive, () => undefined);
