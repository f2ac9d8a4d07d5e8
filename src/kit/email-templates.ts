/** The mails as they look by default. Everything that is put into HTML is escaped; no mail shows an address. */
import type {
  CodeTemplate,
  EmailContent,
  LinkTemplate,
  NoticeTemplate,
  OrgInviteTemplate,
} from './senders/email-sender.js';

export const codeTemplate: CodeTemplate = ({ code, expiresInMinutes, appName }) =>
  codeContent(code, expiresInMinutes, {
    subject: `${code} is your sign-in code for ${appName}`,
    lead: `Enter this code to sign in to ${appName}:`,
  });

export const verificationTemplate: CodeTemplate = ({ code, expiresInMinutes, appName }) =>
  codeContent(code, expiresInMinutes, {
    subject: `${code} confirms your address for ${appName}`,
    lead: `Enter this code where you are signed in to ${appName}, to confirm your address:`,
  });

/** To the address that an account is to have. */
export const newAddressTemplate: CodeTemplate = ({ code, expiresInMinutes, appName }) =>
  codeContent(code, expiresInMinutes, {
    subject: `${code} confirms your new address for ${appName}`,
    lead: `Enter this code where you are signed in to ${appName}, to make this the address of your account:`,
  });

/** To the address that an account has. Whoever did not ask for it must know what to do. */
export const leavingAddressTemplate: CodeTemplate = ({ code, expiresInMinutes, appName }) =>
  codeContent(code, expiresInMinutes, {
    subject: `Somebody asked to change the address of your ${appName} account`,
    lead: `If it was you, enter this code where you are signed in to ${appName}. Your account will have the new address then, and no longer this one:`,
    ignore: `If it was not you, give the code to nobody, and sign out everywhere: somebody is signed in to your account.`,
  });

/** To the address that was asked for, where it has an account: its owner hears of it, and the caller does not. */
export const addressInUseTemplate: NoticeTemplate = ({ appName }) =>
  content({
    subject: `This address has an account on ${appName}`,
    lead: `You, or somebody else, asked to make this the address of another account on ${appName}. It has an account already, so nothing was changed. Sign in to that account with this address, or choose another address.`,
  });

export const addressChangedTemplate: NoticeTemplate = ({ appName }) =>
  content({
    subject: `The address of your ${appName} account was changed`,
    lead: `Your account on ${appName} has another address now. This one no longer signs in to it, and every other device was signed out.`,
    ignore: 'If this was not you, write to us at once.',
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

// Names neither the organization nor the inviter: both words are chosen by a user, and the mail goes to a stranger.
export const orgInviteTemplate: OrgInviteTemplate = ({ url, expiresInMinutes, appName }) =>
  content({
    subject: `You are invited to an organization on ${appName}`,
    lead: `Open this link to join an organization on ${appName}. It works once.`,
    action: button('Accept invitation', url),
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
  /** What the reader is to type or to open, and for how long it is good; a notice has neither. */
  action?: { text: string; html: string };
  expiresInMinutes?: number;
  ignore?: string;
}

function content({ subject, lead, action, expiresInMinutes, ignore = usualIgnore }: Parts): EmailContent {
  const expiry = expiresInMinutes === undefined ? '' : `It expires in ${duration(expiresInMinutes)}. `;
  const small = `${expiry}${ignore}`;
  return {
    subject,
    text: `${[lead, ...(action ? [action.text] : []), small].join('\n\n')}\n`,
    html:
      `<!doctype html><html lang="en"><body style="${style.body}"><div style="${style.card}">` +
      `<p style="margin:0 0 16px">${escapeHtml(lead)}</p>${action?.html ?? ''}` +
      `<p style="${style.small}">${escapeHtml(small)}</p></div></body></html>`,
  };
}

const usualIgnore = 'If you did not ask for this, you can ignore this mail.';

function codeContent(code: string, expiresInMinutes: number, parts: Parts): EmailContent {
  const action = { text: code, html: `<p style="${style.code}">${escapeHtml(code)}</p>` };
  return content({ ...parts, action, expiresInMinutes });
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
