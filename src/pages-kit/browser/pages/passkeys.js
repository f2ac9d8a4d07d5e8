/**
 * Passkeys: by a button, among the suggestions of the address field, and in forms that need one. The browser converts the options itself;
 * a browser that cannot gets no button. One ceremony at a time: a new one ends the suggestions.
 */
/* global isLost, reach, sayLost, signalUnknown */
/* exported credentialFor, endSuggestions, enhancePasskeys, hasPasskeys, post, unfinished */

const hasPasskeys =
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
const stale = 240000;
let suggestions = new AbortController();
let suggestionTimer;

const endSuggestions = () => {
  clearTimeout(suggestionTimer);
  suggestions.abort();
};

const enhancePasskeys = () => {
  for (const button of document.querySelectorAll('[data-passkey], [data-needs-passkeys]'))
    if (hasPasskeys) button.hidden = false;
    else button.remove();
  endSuggestions();
  const field = document.querySelector('input[autocomplete~=webauthn]');
  const button = document.querySelector('[data-passkey]');
  // A page that is left at once asks for nothing.
  if (field && button && hasPasskeys) suggestionTimer = setTimeout(suggest, 400, button);
};

const suggest = async (button) => {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  const controller = (suggestions = new AbortController());
  while (!controller.signal.aborted && button.isConnected) {
    // A challenge is valid for five minutes. No one picks a passkey in a hidden page.
    while (document.hidden)
      await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
    const expiry = new AbortController();
    const timer = setTimeout(() => expiry.abort(), stale);
    controller.signal.addEventListener('abort', () => expiry.abort());
    try {
      const { ok, body } = await post(button.dataset.passkey + '/autofill', {});
      if (!ok || controller.signal.aborted) return;
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(body.options);
      const credential = await navigator.credentials.get({
        publicKey,
        mediation: 'conditional',
        signal: expiry.signal,
      });
      return await finishPasskey(button, credential, publicKey.rpId);
    } catch {
      if (!expiry.signal.aborted) return;
    } finally {
      clearTimeout(timer);
    }
  }
};

/** @param button for a sentence if the server cannot be reached. Without one, nothing is said. */
const post = async (url, body, button) => {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  if (button) {
    const { response, text } = await reach(button, url, init);
    return { ok: response.ok, body: JSON.parse(text) };
  }
  const response = await fetch(url, init);
  return { ok: response.ok, body: await response.json() };
};

const finishPasskey = async (button, credential, rpId) => {
  const { passkey, arrive, refused } = button.dataset;
  const remember = document.querySelector('input[name=remember]')?.checked;
  const choice = remember === false ? { remember } : {};
  const result = await post(passkey + '/finish', { response: credential.toJSON(), ...choice }, button);
  if (result.body.reason === 'passkey_unknown') await signalUnknown(rpId, credential.id);
  location.assign(result.ok ? arrive : refused + encodeURIComponent(result.body.error));
};

const isCanceled = ({ name }) => name === 'NotAllowedError' || name === 'AbortError';

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-passkey]');
  if (!button || button.getAttribute('aria-busy')) return;
  const { passkey, refused } = button.dataset;
  button.setAttribute('aria-busy', 'true');
  endSuggestions();
  try {
    const { ok, body } = await post(passkey + '/start', {}, button);
    if (!ok) return location.assign(refused + encodeURIComponent(body.error));
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(body.options);
    await finishPasskey(button, await navigator.credentials.get({ publicKey }), publicKey.rpId);
  } catch (error) {
    if (isLost(error)) sayLost(button);
    // The user closed the prompt of the browser.
    else if (!isCanceled(error)) location.assign(refused + 'oauth_error');
  } finally {
    button.removeAttribute('aria-busy');
  }
});

// The options of a form whose prompt was closed: a code in the form is valid once.
const ceremonies = new WeakMap();

/** Returns the credential for a form as text, or null if the user closed the prompt. */
const credentialFor = async (form, kind, options) => {
  ceremonies.set(form, { kind, options, since: Date.now() });
  try {
    const publicKey =
      kind === 'create'
        ? PublicKeyCredential.parseCreationOptionsFromJSON(options)
        : PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = await navigator.credentials[kind]({ publicKey });
    ceremonies.delete(form);
    return JSON.stringify(credential);
  } catch (error) {
    if (isCanceled(error)) return null;
    ceremonies.delete(form);
    return 'failed';
  }
};

/** Returns the options of the last attempt with this form, unless they have expired. */
const unfinished = (form) => {
  const ceremony = ceremonies.get(form);
  return ceremony && Date.now() - ceremony.since < stale ? ceremony : null;
};
