/** The icons of the pages. */
import { html } from '../html/html.js';

export const icons = {
  language: html`<svg class="icon line" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <circle cx="12" cy="12" r="9" />
    <path d="M3 12h18M12 3c5 5.5 5 12.5 0 18M12 3c-5 5.5-5 12.5 0 18" />
  </svg>`,
  passkey: html`<svg class="icon line" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <circle cx="9" cy="8" r="4" />
    <path d="M2.5 20c.4-4 3-6 6.5-6 1.2 0 2.3.2 3.2.7" />
    <circle cx="18" cy="12" r="2.5" />
    <path d="M18 14.5V21l1.8-1.8-1.8-1.7" />
  </svg>`,
  phone: html`<svg class="icon line" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <rect x="7" y="2.5" width="10" height="19" rx="2" />
    <path d="M11 18.5h2" />
  </svg>`,
};
