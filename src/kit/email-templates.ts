/** The mails as they look by default. Everything that is put into HTML is escaped; no mail shows an address. */
import type { CodeTemplate, EmailContent, LinkTemplate } from './senders/email-sender.js';

export const codeTemplate: CodeTemplate = ({ code, expiresInMinutes, appName }) =>
  content({
    subject: `${code} is your sign-in code for ${appName}`,
    lead: `Enter this code to sign in to ${appName}:`,
    action: { text: code, html: `<p style="${style.code}">${escapeHtml(code)}</p>` },
    expiresInMinutes,
  });

export const magicLinkTemplate: LinkTemplate = ({ url, expiresInMinutes, appName }) =>
  content({
    subject: `Sign in to ${appName}`,
    lead: `Open this link to sign in to ${appName}. It works once.`,
    action: button('Sign in', url),
    expiresInMinutes,
  });

export const passwordResetTemplate: LinkTemplate = ({ url, expiresInMinutes, appName }) =>
  content({
    subject: `Choose a new password for ${appName}`,
    lead: `Open this link to choose a new password for ${appName}. It works once.`,
    action: button('Choose a new password', url),
    expiresInMinutes,
  });

export const orgInviteTemplate: LinkTemplate = ({ url, expiresInMinutes, appName }) =>
  content({
    subject: `You are invited to an organisation on ${appName}`,
    lead: `Open this link to join an organisation on ${appName}. It works once.`,
    action: button('Accept the invitation', url),
    expiresInMinutes,
  });

const style = {
  body: 'margin:0;padding:32px 16px;background:#f4f4f5;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif;color:#18181b',
  card: 'max-width:440px;margin:0 auto;padding:32px;background:#ffffff;border-radius:12px',
  code: 'margin:24px 0;font:600 32px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px',
  button:
    'display:inline-block;padding:12px 20px;background:#18181b;color:#ffffff;border-radius:8px;text-decoration:none;font-weight:600',
  small: 'margin:24px 0 0;font-size:14px;color:#71717a',
};

interface Parts {
  subject: string;
  lead: string;
  action: { text: string; html: string };
  expiresInMinutes: number;
}

function content({ subject, lead, action, expiresInMinutes }: Parts): EmailContent {
  const expiry = `It expires in ${duration(expiresInMinutes)}.`;
  const ignore = 'If you did not ask for this, you can ignore this mail.';
  return {
    subject,
    text: `${lead}\n\n${action.text}\n\n${expiry} ${ignore}\n`,
    html:
      `<!doctype html><html lang="en"><body style="${style.body}"><div style="${style.card}">` +
      `<p style="margin:0 0 16px">${escapeHtml(lead)}</p>${action.html}` +
      `<p style="${style.small}">${escapeHtml(expiry)} ${escapeHtml(ignore)}</p></div></body></html>`,
  };
}

function duration(minutes: number): string {
  const [amount, unit] = minutes >= 2 * 1440 ? [Math.round(minutes / 1440), 'day'] : [minutes, 'minute'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

function button(label: string, url: string) {
  return {
    text: url,
    html: `<p style="margin:24px 0"><a href="${escapeHtml(url)}" style="${style.button}">${escapeHtml(label)}</a></p>`,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
