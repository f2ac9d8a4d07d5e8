/** Phone numbers as people write them. */
import { html, type Html } from '../html/html.js';
import { loadPhoneNumbers } from '../runtime/load.js';

/** From left to right in every language. @param phone in E.164, or what the browser's cookie says. */
export function shownPhone(phone: string): Html {
  return html`<bdi dir="ltr">${inGroups(phone)}</bdi>`;
}

/** Returns the number in the groups of its country, on one line. */
export function inGroups(phone: string): string {
  try {
    const text = loadPhoneNumbers().parsePhoneNumberWithError(phone).formatInternational();
    return text.replace(/ /g, '\u00a0');
  } catch {
    return phone;
  }
}
