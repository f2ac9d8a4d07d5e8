/**
 * Solves a proof of work (ALTCHA, version 2: PBKDF2 until the key begins with a prefix), with several attempts at a time. The browser
 * computes outside of this thread, so the page remains usable.
 */
/* exported solveFor */

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
const hexOf = (buffer) =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Returns the solution as the service reads it. */
const solve = async ({ parameters, signature }) => {
  const { nonce, salt, cost, keyLength, keyPrefix, algorithm } = parameters;
  const settings = { name: 'PBKDF2', salt: bytesOf(salt), iterations: cost, hash: algorithm.split('/')[1] };
  const keyAt = async (counter) => {
    const password = new Uint8Array([
      ...bytesOf(nonce),
      counter >>> 24,
      counter >>> 16,
      counter >>> 8,
      counter,
    ]);
    const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
    return { counter, derivedKey: hexOf(await crypto.subtle.deriveBits(settings, key, keyLength * 8)) };
  };
  const end = Date.now() + 90000;
  for (let start = 0; Date.now() < end; start += 8) {
    const keys = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((step) => keyAt(start + step)));
    const solution = keys.find(({ derivedKey }) => derivedKey.startsWith(keyPrefix));
    if (solution) return btoa(JSON.stringify({ challenge: { parameters, signature }, solution }));
  }
  throw new Error('The challenge took too long.');
};

/** Solves a challenge while the form says so. */
const solveFor = async (form, posed) => {
  const status = document.createElement('p');
  status.className = 'waiting';
  status.setAttribute('role', 'status');
  form.append(status);
  status.textContent = form.dataset.solving;
  try {
    return await solve(posed);
  } finally {
    status.remove();
  }
};
