/** The layout of the sections of the account page. */
import { html, type Html, type Value } from '../html.js';

interface Section {
  id: string;
  title: string;
  intro: string;
  badge?: Value;
}

export function section({ id, title, intro, badge }: Section, body: Value): Html {
  return html`<section class="card" id="${id}" aria-labelledby="${id}-title">
    <div>
      <div class="row">
        <h2 id="${id}-title">${title}</h2>
        ${badge}
      </div>
      <p class="soft">${intro}</p>
    </div>
    ${body}
  </section>`;
}

/** A list that the scripts fill. It shows that it is loading or empty. */
export function list(id: string, nothing: string): Html {
  return html`<ul class="items" id="${id}" aria-busy="true" data-nothing="${nothing}"></ul>`;
}
