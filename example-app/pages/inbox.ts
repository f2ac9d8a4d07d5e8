/** The inbox: every message with its code or link. ../browser/inbox.ts adds new messages as they arrive. */
import { html } from './html.js';
import { page, publicTop } from './layout.js';

export interface Message {
  id: number;
  sentAt: Date;
  /** The kind that the library sets; `sms` for every text message. */
  kind: string;
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** The code or link in the message, if any. */
  code?: string;
  link?: string;
}

/** Also applies when the mail is opened in a separate tab. Links still work when the user clicks them. */
export const mailSandbox = 'allow-top-navigation-by-user-activation';

const copy = (text: string, label: string) =>
  html`<button type="button" class="plain" data-copy="${text}">${label}</button>`;

const message = ({ id, to, subject, sentAt, text, html: body, code, link }: Message) =>
  html`<article class="card mail" id="message-${id}" aria-labelledby="subject-${id}">
    <div>
      <h2 id="subject-${id}">${subject}</h2>
      <p class="soft">
        To ${to}, <time datetime="${sentAt.toISOString()}">${sentAt.toLocaleTimeString('en-US')}</time>
      </p>
    </div>
    ${code && html`<p class="row"><output class="code">${code}</output> ${copy(code, 'Copy code')}</p>`}
    ${link && html`<p class="row"><a class="button" href="${link}">Open link</a> ${copy(link, 'Copy link')}</p>`}
    <details>
      <summary>Plain text</summary>
      <pre tabindex="0">${text}</pre>
    </details>
    ${
      body &&
      html`<details>
        <summary>HTML</summary>
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
          <h1>Inbox</h1>
          <p class="soft">
            Messages stay on this computer and appear here automatically. A restart clears them.
          </p>
        </div>
        <p class="hidden" role="status" id="news"></p>
        <div id="messages">${messages.map(message)}</div>
        <div class="empty">
          <p><strong>No messages yet.</strong></p>
          <p class="soft"><a href="/sign-in">Request a code or a link</a> to see it here.</p>
        </div>
      </main>`,
  });
}
