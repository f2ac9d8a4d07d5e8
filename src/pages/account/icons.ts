/** The icons of the account: of its sections, and of what their lists contain. */
import { html, type Html } from '../../html/html.js';

const line = (paths: Html) =>
  html`<svg class="icon line" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${paths}</svg>`;

export const accountIcons = {
  profile: line(html`<circle cx="12" cy="8" r="4" /><path d="M4.5 20c.6-3.8 3.6-6 7.5-6s6.9 2.2 7.5 6" />`),
  security: line(html`<path d="M12 3l7.5 3v5.5c0 4.3-3 7.7-7.5 9.5-4.5-1.8-7.5-5.2-7.5-9.5V6z" />`),
  devices: line(
    html`<rect x="3" y="4.5" width="18" height="12" rx="1.5" /><path d="M8.5 20h7M12 16.5V20" />`,
  ),
  activity: line(html`<path d="M4 12a8 8 0 1 0 2.4-5.7M4 4.5v4h4" /><path d="M12 7.5V12l3 2" />`),
  apps: line(
    html`<path
      d="M10 14a4 4 0 0 0 5.7 0l3.6-3.6a4 4 0 0 0-5.7-5.7l-1.4 1.4M14 10a4 4 0 0 0-5.7 0l-3.6 3.6a4 4 0 0 0 5.7 5.7l1.4-1.4"
    />`,
  ),
  tokens: line(html`<circle cx="8" cy="15.5" r="4.5" /><path d="M11.2 12.3L20 3.5M16 7.5l3 3" />`),
  organizations: line(
    html`<path
      d="M4 20.5v-16h9v16M13 9.5h7v11M2.5 20.5h19M7.5 8.5h2M7.5 12.5h2M7.5 16.5h2M16.5 13.5v.01M16.5 17v.01"
    />`,
  ),
  data: line(html`<path d="M12 3.5v11.5M7.5 10.5l4.5 4.5 4.5-4.5M4.5 20.5h15" />`),
  app: line(
    html`<rect x="3.5" y="3.5" width="7" height="7" rx="1.5" /><rect
        x="13.5"
        y="3.5"
        width="7"
        height="7"
        rx="1.5"
      /><rect x="3.5" y="13.5" width="7" height="7" rx="1.5" /><rect
        x="13.5"
        y="13.5"
        width="7"
        height="7"
        rx="1.5"
      />`,
  ),
  trusted: line(
    html`<path d="M12 3l7.5 3v5.5c0 4.3-3 7.7-7.5 9.5-4.5-1.8-7.5-5.2-7.5-9.5V6z" /><path
        d="M8.5 12l2.5 2.5 4.5-5"
      />`,
  ),
  // Of an authenticator app: its codes change with the time.
  clock: line(html`<circle cx="12" cy="12" r="8.5" /><path d="M12 7v5l3.5 2" />`),
  mail: line(html`<rect x="3" y="5" width="18" height="14" rx="2" /><path d="M3.5 7l8.5 6 8.5-6" />`),
  preferred: line(
    html`<path d="M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8z" />`,
  ),
  recovery: line(
    html`<rect x="4.5" y="3.5" width="15" height="17" rx="2" /><path d="M8.5 8.5h7M8.5 12h7M8.5 15.5h4" />`,
  ),
};
