/** The few DOM helpers that the pages need. */

/** Returns the element with this id. @throws if the page has none. */
export function get<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element as E;
}

type Child = Node | string | false | null | undefined;

/** Creates an element. Strings become text nodes. Attributes that are false or undefined are omitted. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string | boolean | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== undefined) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child instanceof Node || typeof child === 'string'));
  return element;
}

let hideTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows a toast for five seconds. Screen readers announce it. */
export function say(text: string): void {
  const toast = get('toast');
  toast.textContent = text;
  clearTimeout(hideTimer);
  hideTimer = setTimeout(() => (toast.textContent = ''), 5000);
}

/** Returns `March 3, 2026`, or `March 3, 2026 at 2:05 PM` with the time. */
export function day(date: string | Date, withTime = false): HTMLTimeElement {
  const at = new Date(date);
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'long', ...(withTime && { timeStyle: 'short' }) };
  return el('time', { datetime: at.toISOString() }, at.toLocaleString('en-US', options));
}
