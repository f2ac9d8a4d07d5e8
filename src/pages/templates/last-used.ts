/** Marks the method of the last sign-in in this browser. A screen reader reads it after the name of the button, which stays the same. */
import { html, type Html, type TemplatePage } from '../template.js';

export interface LastUsed {
  id: string;
  /** In the tag of the button. */
  attribute: Html;
  /** At the end of the button. */
  mark: Html;
}

/** Null if it was another method. @param id of the mark in the document. */
export function lastUsed({ texts }: TemplatePage, isLastUsed: boolean, id = 'last-used'): LastUsed | null {
  return isLastUsed
    ? {
        id,
        attribute: html`aria-describedby="${id}"`,
        mark: html`<span class="last-used" id="${id}" aria-hidden="true">${texts.lastUsed}</span>`,
      }
    : null;
}
