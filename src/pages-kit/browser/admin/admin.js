/** The script of the pages. They work without it: it writes dates in the viewer's time zone and language. */
const formats = {
  date: { dateStyle: 'medium' },
  time: { dateStyle: 'medium', timeStyle: 'short' },
};
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
for (const element of document.querySelectorAll('time[data-show]')) {
  const date = new Date(element.dateTime);
  if (Number.isNaN(date.getTime())) continue;
  element.textContent = new Intl.DateTimeFormat(undefined, formats[element.dataset.show]).format(date);
  element.title = full.format(date);
}
// A second click must not send a form again. A page that the browser kept can send its form once more.
for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
  });
  addEventListener('pageshow', () => delete form.dataset.sent);
}
// A reload must not repeat the message of the last change.
const address = new URL(location.href);
if (address.searchParams.has('done')) {
  address.searchParams.delete('done');
  history.replaceState(null, '', address);
}
