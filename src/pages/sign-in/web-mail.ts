/** The web mail of well-known providers: a link spares the way to the new mail. */

const providers: readonly (readonly [name: string, url: string, domains: RegExp])[] = [
  ['Gmail', 'https://mail.google.com/', /^g(?:oogle)?mail\.com$/],
  ['Outlook', 'https://outlook.live.com/mail/', /^(?:outlook|hotmail|live|msn)\.com$/],
  ['Yahoo Mail', 'https://mail.yahoo.com/', /^yahoo\.com$/],
  ['iCloud Mail', 'https://www.icloud.com/mail', /^(?:icloud|me|mac)\.com$/],
  ['Proton Mail', 'https://mail.proton.me/', /^(?:proton\.me|protonmail\.com|pm\.me)$/],
];

/** Returns the web mail of an address by its domain. Null for other domains. */
export function webMailOf(email: string): { name: string; url: string } | null {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const found = providers.find(([, , domains]) => domains.test(domain));
  return found ? { name: found[0], url: found[1] } : null;
}
