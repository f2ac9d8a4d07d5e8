/** The icons of the pages, drawn in the color of the adjacent text. */
import { html } from './html.js';

const icon = (paths: ReturnType<typeof html>) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${paths}</svg>`;

export const icons = {
  logo: html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="9" />
    <path d="M9.5 23 16 8.5 22.5 23M12 18h8" />
  </svg>`,
  mail: icon(html`<rect x="3" y="5" width="18" height="14" rx="2.5" /><path d="m4 7.5 8 6 8-6" />`),
  passkey: icon(
    html`<circle cx="9" cy="8" r="4" /><path d="M2.5 20c.4-4 3-6 6.5-6 1.2 0 2.3.2 3.2.7" />
      <circle cx="18" cy="12" r="2.5" /><path d="M18 14.5V21l1.8-1.8-1.8-1.7" />`,
  ),
  google: icon(html`<path d="M20 12h-8m8 0a8 8 0 1 1-2.5-5.8" />`),
  orbit: icon(
    html`<circle cx="12" cy="12" r="3" /><ellipse
        cx="12"
        cy="12"
        rx="9.5"
        ry="4.5"
        transform="rotate(-30 12 12)"
      />`,
  ),
  device: icon(html`<rect x="3" y="4" width="18" height="12" rx="2" /><path d="M8 20h8m-4-4v4" />`),
  phone: icon(html`<rect x="7" y="3" width="10" height="18" rx="2.5" /><path d="M11 17.5h2" />`),
  shield: icon(
    html`<path d="M12 3 5 6v5.5c0 4.5 3 7.7 7 9.5 4-1.8 7-5 7-9.5V6z" /><path d="m9 12 2 2 4-4" />`,
  ),
};
