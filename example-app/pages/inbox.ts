/** The inbox: every mail with its code or link at hand. ../public/inbox.js adds new ones as they come. */
import { mailSandbox, type Mail } from '../inbox.js';
import { html, page } from './html.js';

const copy = (text: string, label: string) =>
  html`<button type="button" class="quiet" data-copy="${text}">${label}</button>`;

const mail = ({ id, to, subject, sentAt, text, code, link }: Mail) =>
  html`<article class="card mail" id="mail-${id}" aria-labelledby="subject-${id}">
    <h2 id="subject-${id}">${subject}</h2>
    <p class="hint">
      To ${to}, <time datetime="${sentAt.toISOString()}">${sentAt.toLocaleTimeString('en-GB')}</time>
    </p>
    ${code && html`<p class="row"><output class="code">${code}</output> ${copy(code, 'Copy the code')}</p>`}
    ${link && html`<p class="row"><a class="button" href="${link}">Open the link</a> ${copy(link, 'Copy the link')}</p>`}
    <details>
      <summary>The mail as text</summary>
      <pre>${text}</pre>
    </details>
    <details>
      <summary>The mail as HTML</summary>
      <iframe
        src="/inbox/${id}.html"
        sandbox="${mailSandbox}"
        loading="lazy"
        title="Mail: ${subject}"
      ></iframe>
    </details>
  </article>`;

export function inboxPage(mails: readonly Mail[]): string {
  return page({
    title: 'Inbox',
    script: 'inbox.js',
    body: html`<div class="wide">
      <h1>Mails this example sent</h1>
      <p class="hint">
        Nothing leaves this machine. New mails appear by themselves; a restart empties the list.
      </p>
      <p class="hidden" role="status" id="news"></p>
      <div id="mails">${mails.map(mail)}</div>
      <p class="card empty">
        No mails yet. <a href="/sign-in">Ask for a code or a link</a>, and it arrives here.
      </p>
    </div>`,
  });
}
