/**
 * Steps without a reload: a form is sent by fetch, and the next step replaces the content. The server names the next step in a header. Only
 * pages of this site become markup here.
 */
/* global createQuietly, credentialFor, endSuggestions, enhanceAccount, enhanceForms, enhanceMail, enhancePasskeys, enhanceSignals, enhanceStrength, isLost, reach, sayLost, solveFor, unfinished, whileCreating */

const policy = globalThis.trustedTypes?.createPolicy('svc-auth', { createHTML: (text) => text });
const isOurs = (page) => page.querySelector('meta[name=svc-pages]') !== null;

// Without the fragment: the link that skips the navigation changes only that.
const pathShown = () => location.pathname + location.search;
let shown = pathShown();

/** @param typed the form that was refused: what it had in a password stays in the browser, unless that was refused. */
const show = (text, url, typed) => {
  const page = new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'text/html');
  if (!isOurs(page)) return location.assign(url);
  if (url !== location.href) history.pushState(null, '', url);
  shown = pathShown();
  document.title = page.title;
  // The whole body: the page of the account has another frame than a step of the sign-in.
  document.body.className = page.body.className;
  document.body.replaceChildren(...page.body.childNodes);
  if (typed)
    for (const input of document.querySelectorAll('input[type=password]:not([aria-invalid])'))
      input.value = typed.get(input.name) ?? '';
  scrollTo(0, 0);
  enhance();
};

const open = async (url) => {
  const target = new URL(url, location.href);
  const isStep = document
    .querySelector('meta[name=svc-pages]')
    .content.split(' ')
    .some((path) => target.pathname.startsWith(path));
  if (!isStep) return location.assign(url);
  const response = await fetch(target);
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || !type.startsWith('text/html') || response.redirected) return location.assign(url);
  show(await response.text(), target.href);
};

/** Returns the response, or null if the user closed the prompt of the browser. */
const exchange = async (form, body, ceremony) => {
  if (ceremony) {
    const credential = await credentialFor(form, ceremony.kind, ceremony.options);
    if (credential === null) return null;
    body.set('credential', credential);
  }
  const init = { method: 'POST', headers: { 'svc-pages': '1' }, body };
  return reach(form.querySelector('button:not([type=button])'), form.action, init);
};

const sendForm = async (form, body, ceremony, attempts = 0) => {
  const send = () => exchange(form, body, ceremony);
  const sent = await (ceremony?.kind === 'create' ? whileCreating(send) : send());
  if (sent === null) return;
  const { response, text } = sent;
  const header = (name) => response.headers.get(name);
  if (header('svc-passkey') !== null) await createQuietly(header('svc-passkey'));
  if (header('svc-location') !== null) return open(header('svc-location'));
  if (header('svc-ceremony') !== null)
    return sendForm(form, body, { kind: header('svc-ceremony'), options: JSON.parse(text) }, attempts);
  // What a form shows is at its own address, which a reload asks for. The address of a refused form does not change.
  if (header('svc-challenge') === null) return show(text, response.ok ? form.action : location.href, body);
  if (header('svc-challenge') !== 'proof-of-work' || attempts > 1 || !globalThis.crypto?.subtle)
    return HTMLFormElement.prototype.submit.call(form);
  body.set('challenge_solution', await solveFor(form, JSON.parse(text)));
  body.delete('credential');
  return sendForm(form, body, null, attempts + 1);
};

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (form.method !== 'post' || form.dataset.plain !== undefined) return;
  event.preventDefault();
  // A second click must not send a form again.
  if (form.dataset.sent) return;
  form.dataset.sent = 'yes';
  event.submitter?.setAttribute('aria-busy', 'true');
  endSuggestions();
  try {
    const body = new URLSearchParams(new FormData(form));
    await sendForm(form, body, unfinished(form));
  } catch (error) {
    if (isLost(error)) sayLost(form.querySelector('button:not([type=button])'));
    else HTMLFormElement.prototype.submit.call(form);
  } finally {
    delete form.dataset.sent;
    event.submitter?.removeAttribute('aria-busy');
  }
});

// The second click of a double click must not press the button of the next step.
let pressed = null;
document.addEventListener(
  'click',
  (event) => {
    const control = event.target.closest('button, a');
    if (event.detail > 1 && control !== pressed) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    pressed = control;
  },
  true,
);

// Back and forward: the server decides what a step shows now.
addEventListener('popstate', () => pathShown() !== shown && location.reload());

/** A reload, and a step back, must not repeat the message of the last change. */
const endMessage = () => {
  const address = new URL(location.href);
  if (!document.body.classList.contains('account') || !address.searchParams.has('done')) return;
  for (const name of ['done', 'provider']) address.searchParams.delete(name);
  history.replaceState(history.state, '', address);
  shown = pathShown();
};

const enhance = () => {
  endMessage();
  enhanceStrength();
  enhanceForms();
  enhanceMail();
  enhancePasskeys();
  enhanceAccount();
  enhanceSignals();
};
enhance();
