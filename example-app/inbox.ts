/**
 * A stand-in for a mail server and a text message service: keeps what the library sends and shows it at /inbox (for
 * people) and /inbox.json (for scripts). For development only, because it shows everybody's codes to everybody.
 * In production, the sender of mails is:
 *
 *   import { smtpSender } from 'svc-auth';
 *   const transport = { host: 'smtp.acme.test', port: 587, auth: { user: 'acme', pass: process.env.SMTP_PASSWORD } };
 *   const emailSender = smtpSender(transport, { from: 'Acme <no-reply@acme.test>' });
 */
import { Router } from 'express';
import type { EmailSender, SmsSender } from 'svc-auth';
import { inboxPage } from './pages/inbox.js';

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

export interface Inbox {
  emailSender: EmailSender;
  smsSender: SmsSender;
  routes: Router;
}

const kept = 100;

export function createInbox(): Inbox {
  if (process.env['NODE_ENV'] === 'production') {
    throw new Error('The example shows all messages to everybody. It is not made for production.');
  }
  /** Newest first. */
  const messages: Message[] = [];
  let count = 0;

  function keep(message: Pick<Message, 'kind' | 'to' | 'subject' | 'text' | 'html'>): void {
    const code = /^\d{4,12}(?=$| is your code)/m.exec(message.text)?.[0];
    const link = /https?:\/\/\S+/.exec(message.text)?.[0];
    messages.unshift({ ...message, id: ++count, sentAt: new Date(), code, link });
    messages.length = Math.min(messages.length, kept);
  }

  const emailSender: EmailSender = {
    send: async ({ kind, to, subject, text, html }) => keep({ kind, to, subject, text, html }),
  };
  const smsSender: SmsSender = {
    send: async ({ to, body }) => keep({ kind: 'sms', to, subject: 'Text message', text: body }),
  };

  const routes = Router();
  routes.get('/inbox', (_req, res) => {
    res.send(inboxPage(messages));
  });
  routes.get('/inbox.json', (_req, res) => {
    res.json(messages);
  });
  // The HTML of a mail is a stranger's: it gets a document of its own that can run nothing and reach nothing.
  routes.get('/inbox/:id.html', (req, res, next) => {
    const message = messages.find(({ id }) => String(id) === req.params.id);
    if (message?.html === undefined) return next();
    res.set('Content-Security-Policy', mailPolicy);
    res.send(`<!doctype html><base target="_top">${message.html}`);
  });
  return { emailSender, smsSender, routes };
}

/** Sandboxed also when opened by itself; the links in it still work when clicked. */
export const mailSandbox = 'allow-top-navigation-by-user-activation';
const mailPolicy = `sandbox ${mailSandbox}; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'`;
