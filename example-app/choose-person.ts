/** The only page of the identity provider: choosing an account. */
import { html } from 'svc-auth/pages';

const people = ['ada@people.example', 'grace@people.example'];

export function choosePersonPage(): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Choose an account</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <main class="narrow">
          <h1>Choose an account</h1>
          <p class="soft">
            This local identity provider stands in for Google and Orbit. Acme receives your email address.
          </p>
          <form method="post">
            ${people.map((email) => html`<button name="email" value="${email}" class="plain">${email}</button>`)}
          </form>
          <form method="post">
            <label for="email">Email address</label>
            <input id="email" name="email" type="email" autocomplete="email" required />
            <button>Continue</button>
          </form>
          <form method="post"><button class="plain">Cancel and go back to Acme</button></form>
        </main>
      </body>
    </html>`.text;
}
