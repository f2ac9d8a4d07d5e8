/** Fields in the browser: what is typed can be shown, an error goes away when typing begins, and a complete code submits itself. */
/* exported enhanceForms */

const enhanceForms = () => {
  for (const input of document.querySelectorAll('input[type=password][data-show]')) {
    const button = document.createElement('button');
    button.type = 'button';
    const label = (text) => {
      button.textContent = text;
      button.setAttribute('aria-label', text + ': ' + (input.labels[0]?.textContent.trim() ?? ''));
    };
    label(input.dataset.show);
    button.setAttribute('aria-controls', input.id);
    button.addEventListener('click', () => {
      const isHidden = input.type === 'password';
      input.type = isHidden ? 'text' : 'password';
      label(isHidden ? input.dataset.hide : input.dataset.show);
      input.focus();
    });
    const box = document.createElement('span');
    box.className = 'secret';
    input.replaceWith(box);
    box.append(input, button);
  }
  const fields = [
    ...document.querySelectorAll('main form.steps input:not([type=hidden], [type=checkbox], .unseen)'),
  ];
  const field =
    document.querySelector('main [aria-invalid=true]') ??
    fields.find(({ value }) => value === '') ??
    fields[0] ??
    document.querySelector('main form[data-ceremony] button.primary');
  field?.focus({ preventScroll: true });
};

document.addEventListener('input', ({ target }) => {
  const field = target.closest('.field.invalid');
  if (field) {
    field.classList.remove('invalid');
    field.querySelector('.error')?.remove();
    target.removeAttribute('aria-invalid');
    const described = target
      .getAttribute('aria-describedby')
      ?.replace(target.id + '-error', '')
      .trim();
    if (described) target.setAttribute('aria-describedby', described);
    else target.removeAttribute('aria-describedby');
  }
});

/** Submits a complete code. An input method may still change what it shows while it composes. */
const submitComplete = ({ target, isComposing }) => {
  const length = Number(target.dataset.length);
  // As the server reads it: without blanks, invisible characters and dashes, among them that of a Japanese keyboard.
  const typed = target.value.normalize('NFKC').match(/(?!ー)[\p{L}\p{Nd}]/gu) ?? [];
  if (length && !isComposing && typed.length === length && !target.form.dataset.sent)
    target.form.requestSubmit();
};
document.addEventListener('input', submitComplete);
document.addEventListener('compositionend', submitComplete);
