/** The little that the pages need of a library for the document. */

/** An element that the page must have. */
export function get<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element as E;
}

type Child = Node | string | false | null | undefined;

/** Makes an element. Text goes in as text. Attributes that are false or undefined are left out. */
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

let silence: ReturnType<typeof setTimeout> | undefined;

/** Says something in passing; read out by screen readers, gone after a while. */
export function say(text: string): void {
  const toast = get('toast');
  toast.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => (toast.textContent = ''), 5000);
}

/** `3 March 2026`, or `3 March 2026, 14:05` with the time. */
export function day(date: string | Date, withTime = false): HTMLTimeElement {
  const at = new Date(date);
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'long', ...(withTime && { timeStyle: 'short' }) };
  return el('time', { datetime: at.toISOString() }, at.toLocaleString('en-GB', options));
}
