/** The frame of the sign-in pages: one card in the middle. */
import { brand, html, type CardView, type Html, type TemplatePage } from '../template.js';

export function card(page: TemplatePage, { content, languageMenu }: CardView): Html {
  const { slots } = page;
  const aside = slots.signInAside?.(page);
  const footer = slots.footer?.(page);
  return html`<div class="column">
      <header>${brand(page)}</header>
      <main id="main" tabindex="-1">
        <div class="card">${content}</div>
      </main>
      ${
        (languageMenu ?? footer) &&
        html`<footer>${languageMenu} ${footer && html`<div>${footer}</div>`}</footer>`
      }
    </div>
    ${aside && html`<aside>${aside}</aside>`}`;
}
