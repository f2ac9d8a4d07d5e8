/** The inbox: every message with its code or link at hand. ../browser/inbox.ts adds new ones as they come. */
import { html } from './html.js';
import { page, publicTop } from './layout.js';

export interface Message {
  id: number;
  sentAt: Date;
  /** What it is for, as the library says; `sms` for every text message. */
  kind: string;
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** What its reader needs from it. */
  code?: string;
  link?: string;
}

/** Also applies when the mail is opened by itself; the links in it still work when they are clicked. */
export const mailSandbox = 'allow-top-navigation-by-user-activation';

const copy = (text: string, label: string) =>
  html`<button type="button" class="plain" data-copy="${text}">${label}</button>`;

const message = ({ id, to, subject, sentAt, text, html: body, code, link }: Message) =>
  html`<article class="card mail" id="message-${id}" aria-labelledby="subject-${id}">
    <div>
      <h2 id="subject-${id}">${subject}</h2>
      <p class="soft">
        To ${to}, <time datetime="${sentAt.toISOString()}">${sentAt.toLocaleTimeString('en-GB')}</time>
      </p>
    </div>
    ${code && html`<p class="row"><output class="code">${code}</output> ${copy(code, 'Copy the code')}</p>`}
    ${link && html`<p class="row"><a class="button" href="${link}">Open the link</a> ${copy(link, 'Copy the link')}</p>`}
    <details>
      <summary>The message as text</summary>
      <pre tabindex="0">${text}</pre>
    </details>
    ${
      body &&
      html`<details>
        <summary>The mail as HTML</summary>
        <iframe
          src="/inbox/${id}.html"
          sandbox="${mailSandbox}"
          loading="lazy"
          title="Mail: ${subject}"
        ></iframe>
      </details>`
    }
  </article>`;

export function inboxPage(messages: readonly Message[]): string {
  return page({
    title: 'Inbox',
    script: 'inbox',
    body: html`${publicTop}
      <main class="wide">
        <div>
          <h1>Messages this example sent</h1>
          <p class="soft">
            Nothing leaves this machine. New messages appear by themselves; a restart empties the list.
          </p>
        </div>
        <p class="hidden" role="status" id="news"></p>
        <div id="messages">${messages.map(message)}</div>
        <div class="empty">
          <p><strong>No messages yet.</strong></p>
          <p class="soft"><a href="/sign-in">Ask for a code or a link</a>, and it arrives here.</p>
        </div>
      </main>`,
  });
}
