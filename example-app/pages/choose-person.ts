/** The only page of the identity provider: choosing an account. */
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
          <h1>Choose an account</h1>
          <p class="soft">
            The local identity provider stands in for Google and Orbit. Acme receives your email address.
          </p>
        </div>
        <form method="post">${choices}</form>
        <p class="or">or</p>
        <form method="post">
          ${emailField('email')}
          <button>Continue</button>
        </form>
        <form method="post"><button class="quiet">Cancel and go back to Acme</button></form>
      </div>
    </main>`,
  });
}
