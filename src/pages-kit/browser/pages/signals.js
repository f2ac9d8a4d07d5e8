/**
 * Keeps the passkeys of the browser up to date: it offers a removed one no longer. A browser can delete a passkey for good, so a signal
 * follows a response that is certain only, and none runs while a page of this site creates a passkey, which a list could lack.
 */
/* global post */
/* exported enhanceSignals, signalUnknown, whileCreating, createQuietly */

/** Also in `svc-auth/client`. */
const signalLock = 'svc-auth passkeys';
const signalMs = 5000;

const whileCreating = (run) =>
  navigator.locks ? navigator.locks.request(signalLock, { mode: 'shared' }, run) : run();

/** Never throws: nothing of the page depends on it. */
const signaling = async (run) => {
  const locked = async (lock) =>
    lock && Promise.race([run(), new Promise((end) => setTimeout(end, signalMs))]);
  try {
    if (navigator.locks) await navigator.locks.request(signalLock, { ifAvailable: true }, locked);
    else await locked(true);
  } catch {
    // The browser refuses the domain, or the server could not be reached.
  }
};

const canSignal = (name) =>
  typeof PublicKeyCredential === 'function' && typeof PublicKeyCredential[name] === 'function';

const signalList = (url) =>
  signaling(async () => {
    const response = await fetch(url, { signal: globalThis.AbortSignal.timeout(signalMs - 1000) });
    if (!response.ok) return;
    const { rpId, userId, credentialIds, name, displayName } = await response.json();
    if (Array.isArray(credentialIds))
      await PublicKeyCredential.signalAllAcceptedCredentials({
        rpId,
        userId,
        allAcceptedCredentialIds: credentialIds,
      });
    if (name && canSignal('signalCurrentUserDetails'))
      await PublicKeyCredential.signalCurrentUserDetails({ rpId, userId, name, displayName });
  });

const signalUnknown = async (rpId, credentialId) => {
  if (canSignal('signalUnknownCredential'))
    await signaling(() => PublicKeyCredential.signalUnknownCredential({ rpId, credentialId }));
};

const enhanceSignals = () => {
  if (!canSignal('signalAllAcceptedCredentials')) return;
  const [list, deleted] = ['[data-passkey-signals]', '[data-passkeys-deleted]'].map((mark) =>
    document.querySelector(mark),
  );
  if (list) void signalList(list.dataset.passkeySignals);
  if (!deleted) return;
  const account = { ...JSON.parse(deleted.dataset.passkeysDeleted), allAcceptedCredentialIds: [] };
  void signaling(() => PublicKeyCredential.signalAllAcceptedCredentials(account));
};

/** Lets the browser create a passkey without a prompt, after a sign-in with a password that it has filled in. Never throws. */
const createQuietly = async (path) => {
  try {
    const capabilities = await PublicKeyCredential.getClientCapabilities();
    if (!capabilities.conditionalCreate) return;
    await whileCreating(async () => {
      const { ok, body } = await post(path + '/start', { automatic: true });
      if (!ok) return;
      const credential = await navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(body.options),
        mediation: 'conditional',
        signal: globalThis.AbortSignal.timeout(signalMs),
      });
      await post(path + '/finish', { response: credential.toJSON() });
    });
  } catch {
    // Not this browser, or not now. The sign-in continues.
  }
};
