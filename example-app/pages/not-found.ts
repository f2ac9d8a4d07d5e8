/** For addresses that lead nowhere. */
import { html } from './html.js';
import { page, publicTop } from './layout.js';

export function notFoundPage(): string {
  return page({
    title: 'Not found',
    body: html`${publicTop}
      <main>
        <div class="card narrow">
          <h1>There is nothing here</h1>
          <p class="soft">The address may be mistyped, or the page has moved.</p>
          <a class="button" href="/">Go to Acme</a>
        </div>
      </main>`,
  });
}
