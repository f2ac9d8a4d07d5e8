/** The protected page: who is signed in, and the way out. */
import type { ServiceUser } from 'svc-auth';
import { formMessage, html, page } from './html.js';

export function accountPage(user: ServiceUser): string {
  const name = user.email ?? 'a user without an address';
  const verified = user.emailVerified
    ? html`<span class="badge good">verified</span>`
    : html`<span class="badge">not verified yet</span>`;
  return page({
    title: 'Your account',
    script: 'forms.js',
    body: html`<div class="card">
      <h1>You are signed in</h1>
      <p>Only you can see this page, <strong>${name}</strong>.</p>
      <dl>
        <dt>Email address</dt>
        <dd>${name} ${verified}</dd>
        <dt>User id</dt>
        <dd><code>${user.id}</code></dd>
        <dt>Member since</dt>
        <dd>${user.createdAt.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })}</dd>
      </dl>
      <form id="logout" action="/api/auth/logout" method="post">
        ${formMessage}
        <button data-busy="Signing out…">Sign out</button>
      </form>
      <p class="hint">The same as JSON, behind <code>requireSession</code>: <a href="/me">/me</a></p>
    </div>`,
  });
}
