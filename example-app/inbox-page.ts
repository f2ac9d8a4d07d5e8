/** The inbox: every message with its code or link. `public/inbox.js` adds new messages as they arrive. */
import { html } from 'svc-auth/pages';
import { page } from './layout.js';

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

const message = ({ id, to, subject, sentAt, text, html: body, code, link }: Message) =>
  html`<article id="message-${id}" aria-labelledby="subject-${id}">
    <h2 id="subject-${id}">${subject}</h2>
    <p class="soft">
      To ${to}, <time datetime="${sentAt.toISOString()}">${sentAt.toLocaleTimeString('en-US')}</time>
    </p>
    ${code && html`<p><output class="code">${code}</output></p>`}
    ${link && html`<p><a class="button" href="${link}">Open link</a></p>`}
    <details>
      <summary>Plain text</summary>
      <pre tabindex="0">${text}</pre>
    </details>
    ${
      body &&
      html`<details>
        <summary>HTML</summary>
        <iframe src="/inbox/${id}.html" sandbox="${mailSandbox}" loading="lazy" title="${subject}"></iframe>
      </details>`
    }
  </article>`;

export function inboxPage(messages: readonly Message[]): string {
  return page({
    title: 'Inbox',
    script: '/inbox.js',
    body: html`<h1>Inbox</h1>
      <p class="soft">Messages stay on this computer and appear here automatically. A restart clears them.</p>
      <p class="hidden" role="status" id="news"></p>
      <div id="messages">${messages.map(message)}</div>
      <p class="soft empty">
        No messages yet. <a href="/sign-in">Sign in</a> with a code or a link to see it here.
      </p>`,
  });
}
