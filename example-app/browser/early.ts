/** Loads before the page renders: a form that is submitted before its script has loaded waits for the script. */
document.addEventListener('submit', (event) => {
  // The form's own script has loaded and handles the event.
  if (event.defaultPrevented) return;
  event.preventDefault();
  (event.target as HTMLFormElement).dataset['early'] = '';
});
