/**
 * A stand-in for a mail server and an SMS service: stores the messages that the library sends and shows them at /inbox (HTML)
 * and /inbox.json (for scripts). For development only, because everyone can read all codes.
 * In production, the email sender is:
 *
 *   import { smtpSender } from 'svc-auth';
 *   const transport = { host: 'smtp.acme.test', port: 587, auth: { user: 'acme', pass: process.env.SMTP_PASSWORD } };
 *   const emailSender = smtpSender(transport, { from: 'Acme <no-reply@acme.test>' });
 */
import { Router } from 'express';
import type { EmailSender, SmsSender } from 'svc-auth';
import { inboxPage, mailSandbox, type Message } from './inbox-page.js';
import { exitWithError } from './settings.js';

export interface Inbox {
  emailSender: EmailSender;
  smsSender: SmsSender;
  routes: Router;
}

const maxMessages = 100;

export function createInbox(): Inbox {
  if (process.env['NODE_ENV'] === 'production') {
    exitWithError(
      'The example does not run in production, because its inbox shows all messages to everyone: unset NODE_ENV.',
    );
  }
  /** Newest first. */
  const messages: Message[] = [];
  let count = 0;

  function keep(message: Pick<Message, 'kind' | 'to' | 'subject' | 'text' | 'html'>): void {
    const code = /^\d{4,12}(?=$| is your code)/m.exec(message.text)?.[0];
    const link = /https?:\/\/\S+/.exec(message.text)?.[0];
    messages.unshift({ ...message, id: ++count, sentAt: new Date(), code, link });
    messages.length = Math.min(messages.length, maxMessages);
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
  // The HTML of a mail is untrusted: it gets a separate document that cannot run scripts or load anything.
  routes.get('/inbox/:id.html', (req, res, next) => {
    const message = messages.find(({ id }) => String(id) === req.params.id);
    if (message?.html === undefined) return next();
    res.set('Content-Security-Policy', mailPolicy);
    res.send(`<!doctype html><base target="_top">${message.html}`);
  });
  return { emailSender, smsSender, routes };
}

const mailPolicy = `sandbox ${mailSandbox}; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'`;
