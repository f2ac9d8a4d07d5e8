/**
 * A mail server's stand-in: keeps what the library sends and shows it at /inbox (pages) and /inbox.json (scripts).
 * For development only, because it shows everybody's codes and links to everybody. In production, the sender is:
 *
 *   import { smtpSender } from 'svc-auth';
 *   const transport = { host: 'smtp.acme.test', port: 587, auth: { user: 'acme', pass: process.env.SMTP_PASSWORD } };
 *   const sender = smtpSender(transport, { from: 'Acme <no-reply@acme.test>' });
 */
import { Router } from 'express';
import type { EmailMessage, EmailSender } from 'svc-auth';
import { inboxPage } from './pages/inbox.js';

export interface Mail extends EmailMessage {
  id: number;
  sentAt: Date;
  /** What the reader of the mail needs from it. */
  code?: string;
  link?: string;
}

const kept = 100;

export function createInbox(): { sender: EmailSender; routes: Router } {
  if (process.env['NODE_ENV'] === 'production') {
    throw new Error('The example shows all mails to everybody. It is not made for production.');
  }
  /** Newest first. */
  const mails: Mail[] = [];
  let sent = 0;

  const sender: EmailSender = {
    async send(message) {
      const code = /^\d{4,12}$/m.exec(message.text)?.[0];
      const link = /https?:\/\/\S+/.exec(message.text)?.[0];
      mails.unshift({ ...message, id: ++sent, sentAt: new Date(), code, link });
      mails.length = Math.min(mails.length, kept);
    },
  };

  const routes = Router();
  routes.get('/inbox', (_req, res) => {
    res.send(inboxPage(mails));
  });
  routes.get('/inbox.json', (_req, res) => {
    res.json(mails);
  });
  // The HTML of a mail is a stranger's: it gets a document of its own that can run nothing and reach nothing.
  routes.get('/inbox/:id.html', (req, res, next) => {
    const mail = mails.find(({ id }) => String(id) === req.params.id);
    if (!mail) return next();
    res.set('Content-Security-Policy', mailPolicy);
    res.send(`<!doctype html><base target="_top">${mail.html}`);
  });
  return { sender, routes };
}

/** Sandboxed also when opened by itself; the links in it still work when clicked. */
export const mailSandbox = 'allow-top-navigation-by-user-activation';
const mailPolicy = `sandbox ${mailSandbox}; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'`;
