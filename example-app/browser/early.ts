/** Comes before the page is drawn: a form that is sent before its script is there waits for it, and is not sent bare. */
document.addEventListener('submit', (event) => {
  // The form's own script is there and has taken over.
  if (event.defaultPrevented) return;
  event.preventDefault();
  (event.target as HTMLFormElement).dataset['early'] = '';
});
