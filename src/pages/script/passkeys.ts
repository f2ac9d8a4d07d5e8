/** Sign-in with a passkey, by the button. The browser converts the options itself; a browser that cannot gets no button. */
export const passkeys = `
  const hasPasskeys = typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

  const enhancePasskeys = () => {
    for (const button of document.querySelectorAll('[data-passkey]')) button.hidden = !hasPasskeys;
  };

  const post = async (url, body) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { ok: response.ok, body: await response.json() };
  };

  document.addEventListener('click', async ({ target }) => {
    const button = target.closest('[data-passkey]');
    if (!button || button.getAttribute('aria-busy')) return;
    const { passkey, arrive, refused } = button.dataset;
    button.setAttribute('aria-busy', 'true');
    try {
      const { ok, body } = await post(passkey + '/start', {});
      if (!ok) return location.assign(refused + encodeURIComponent(body.error));
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(body.options);
      const credential = await navigator.credentials.get({ publicKey });
      const result = await post(passkey + '/finish', { response: credential.toJSON() });
      location.assign(result.ok ? arrive : refused + encodeURIComponent(result.body.error));
    } catch (error) {
      // The user closed the prompt of the browser.
      if (error.name !== 'NotAllowedError' && error.name !== 'AbortError') location.assign(refused + 'oauth_error');
    } finally {
      button.removeAttribute('aria-busy');
    }
  });
`;
