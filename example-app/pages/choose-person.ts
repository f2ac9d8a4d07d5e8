/** The identity provider's only page: who are you? */
import { field, html, page } from './html.js';

const people = ['ada@people.example', 'grace@people.example'];

export function choosePersonPage(): string {
  const choices = people.map(
    (email) => html`<button name="email" value="${email}" class="person">${email}</button>`,
  );
  return page({
    title: 'Local identity provider',
    topLine: false,
    body: html`<div class="card">
      <h1>Who are you?</h1>
      <p class="hint">
        The local identity provider stands in for Google. Acme will learn your email address.
      </p>
      <form method="post" class="people">${choices}</form>
      <p class="or">or somebody else</p>
      <form method="post">
        ${field({ id: 'email', name: 'email', label: 'Email address', type: 'email', autocomplete: 'email' })}
        <button>Continue</button>
      </form>
      <form method="post"><button class="quiet">Cancel and go back to Acme</button></form>
    </div>`,
  });
}
