/** The identity provider's only page: who are you? */
import { emailField } from './fields.js';
import { html } from './html.js';
import { page } from './layout.js';

const people = ['ada@people.example', 'grace@people.example'];

export function choosePersonPage(): string {
  const choices = people.map(
    (email) => html`<button name="email" value="${email}" class="plain person">${email}</button>`,
  );
  return page({
    title: 'Local identity provider',
    look: 'bare',
    body: html`<main>
      <div class="card narrow">
        <div>
          <h1>Who are you?</h1>
          <p class="soft">
            The local identity provider stands in for Google and Orbit. Acme will learn your email address.
          </p>
        </div>
        <form method="post">${choices}</form>
        <p class="or">or somebody else</p>
        <form method="post">
          ${emailField('email')}
          <button>Continue</button>
        </form>
        <form method="post"><button class="quiet">Cancel and go back to Acme</button></form>
      </div>
    </main>`,
  });
}
