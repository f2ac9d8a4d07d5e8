/** Marks the method of the last sign-in in this browser. A screen reader reads it with the button. */
import { html, type Html, type TemplatePage } from '../template.js';

export function lastUsed({ texts }: TemplatePage): Html {
  return html`<span class="last-used">${texts.lastUsed}</span>`;
}
