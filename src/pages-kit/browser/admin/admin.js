/** The script of the pages. They work without it: it notes the time zone of the viewer, in which the server then writes times. */
const zonePath = document.querySelector('[data-zone-path]')?.dataset.zonePath;
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const zoneNames = [...document.querySelectorAll('[data-zone]')];
// What the server has written in another zone, such as the first page, is written again here.
if (zonePath && timeZone && zoneNames.some((each) => (each.value ?? each.textContent) !== timeZone)) {
  const secure = location.protocol === 'https:' ? '; secure' : '';
  document.cookie = `svc_zone=${timeZone}; path=${zonePath}; max-age=31536000; samesite=lax${secure}`;
  const language = document.documentElement.lang;
  const formats = {
    date: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone }),
    time: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
  };
  for (const element of document.querySelectorAll('time[data-show]')) {
    const date = new Date(element.dateTime);
    if (!Number.isNaN(date.getTime())) element.textContent = formats[element.dataset.show].format(date);
  }
  for (const each of zoneNames) {
    if (each.localName === 'input') each.value = timeZone;
    else each.textContent = timeZone;
  }
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
