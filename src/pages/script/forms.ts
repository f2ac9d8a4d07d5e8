/** Forms in the browser: one request at a time, and errors that go away when typing begins. */
export const formScript = `
  for (const form of document.querySelectorAll('form[method=post]')) {
    const button = form.querySelector('button:not([type=button])');
    // A second click must not send a form again. A page that the browser kept can send its form once more.
    form.addEventListener('submit', (event) => {
      if (form.dataset.sent) return event.preventDefault();
      form.dataset.sent = 'yes';
      button?.setAttribute('aria-busy', 'true');
    });
    addEventListener('pageshow', () => {
      delete form.dataset.sent;
      button?.removeAttribute('aria-busy');
    });
    form.addEventListener('input', ({ target }) => {
      const field = target.closest('.field.invalid');
      if (!field) return;
      field.classList.remove('invalid');
      field.querySelector('.error')?.remove();
      target.removeAttribute('aria-invalid');
    });
  }
  (document.querySelector('[aria-invalid=true]') ?? document.querySelector('form.steps input:not([type=hidden])'))?.focus();
`;
