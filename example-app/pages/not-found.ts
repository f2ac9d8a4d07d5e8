/** The page for unknown URLs. */
import { html } from './html.js';
import { page, publicTop } from './layout.js';

export function notFoundPage(): string {
  return page({
    title: 'Not found',
    body: html`${publicTop}
      <main>
        <div class="card narrow">
          <h1>Page not found</h1>
          <p class="soft">Check the address, or go back to Acme.</p>
          <a class="button" href="/">Go to Acme</a>
        </div>
      </main>`,
  });
}
