/** The default mail templates. Every value is escaped in HTML, and no mail contains an email address. */
import type {
  CodeTemplate,
  EmailContent,
  LinkTemplate,
  MagicLinkTemplate,
  NoticeTemplate,
  OrgInviteTemplate,
  PhoneNoticeTemplate,
  ResetCodeTemplate,
} from './senders/email-sender.js';

export const codeTemplate: CodeTemplate = ({ code, expiresInMinutes, appName }) =>
  codeContent(code, expiresInMinutes, {
    subject: `${code} is your sign-in code for ${appName}`,
    lead: `Enter this code to sign in to ${appName}:`,
  });

export const verificationTemplate: CodeTemplate = ({ code, expiresInMinutes, appName }) =>
  codeContent(code, expiresInMinutes, {
    subject: `${code} is your verification code for ${appName}`,
    lead: `Enter this code in ${appName} to verify your email address:`,
  });

/**
 * Sent instead of `verificationTemplate` to an address that already has an account, if sign-ups do not reveal accounts. The code signs
 * its owner in.
 */
export const existingAccountTemplate: CodeTemplate = ({ code, expiresInMinutes, appName }) =>
  codeContent(code, expiresInMinutes, {
    subject: `You already have an account on ${appName}`,
    lead: `Someone signed up for ${appName} with this email address, which already has an account. If this was you, enter this code to sign in to it. Your password has not changed.`,
    ignore: "If this wasn't you, ignore this email, and don't share this code with anyone.",
  });

/** For the second step of a sign-in. A user who gets it without signing in must know that an attacker has passed the first step. */
export const secondFactorTemplate: CodeTemplate = ({ code, expiresInMinutes, appName }) =>
  codeContent(code, expiresInMinutes, {
    subject: `${code} is your two-factor code for ${appName}`,
    lead: `Enter this code to finish signing in to ${appName}:`,
    ignore: `If this wasn't you, don't share this code with anyone. Another person has passed the first step of signing in to your account: change your password.`,
  });

export const recoveryCodesLowTemplate: NoticeTemplate = ({ appName }) =>
  content({
    subject: `You have two recovery codes left for ${appName}`,
    lead: `A recovery code was used to sign in to your ${appName} account. Two are left. Create new ones in your account before you need them.`,
    ignore: "If this wasn't you, sign out of all devices and create new recovery codes.",
  });

/** Sent to the new address of an account. */
export const newAddressTemplate: CodeTemplate = ({ code, expiresInMinutes, appName }) =>
  codeContent(code, expiresInMinutes, {
    subject: `${code} is the code for your new email address on ${appName}`,
    lead: `Enter this code in ${appName} to change your account to this email address:`,
  });

/** Sent to the current address of an account. Its owner must know what to do if an attacker requested the change. */
export const leavingAddressTemplate: CodeTemplate = ({ code, expiresInMinutes, appName }) =>
  codeContent(code, expiresInMinutes, {
    subject: `Confirm the new email address of your ${appName} account`,
    lead: `Enter this code in ${appName} to move your account from this email address to the new one:`,
    ignore: `If this wasn't you, don't share this code with anyone. Another person is signed in to your account: sign out of all devices.`,
  });

/** Sent to a requested address that already has an account: informs its owner without revealing the account to the caller. */
export const addressInUseTemplate: NoticeTemplate = ({ appName }) =>
  content({
    subject: `You already have an account on ${appName}`,
    lead: `Someone tried to use this email address for another account on ${appName}. It already has an account, so nothing was changed. Sign in with this email address, or choose a different one for the other account.`,
  });

export const addressChangedTemplate: NoticeTemplate = ({ appName }) =>
  content({
    subject: `The email address of your ${appName} account was changed`,
    lead: `The email address of your ${appName} account was changed. You can no longer sign in with this one, and your other devices were signed out.`,
    ignore: "If this wasn't you, contact support.",
  });

/** Sent if `phoneOtp.notices` is configured. */
export const phoneChangedTemplate: PhoneNoticeTemplate = ({ change, phone, appName }) =>
  content({
    subject: `A phone number was ${change} ${change === 'added' ? 'to' : 'from'} your ${appName} account`,
    lead:
      change === 'added'
        ? `The phone number ${phone} was added to your ${appName} account. You can sign in with it.`
        : `The phone number ${phone} was removed from your ${appName} account. You can no longer sign in with it.`,
    ignore: "If this wasn't you, contact support.",
  });

export const magicLinkTemplate: MagicLinkTemplate = ({ url, expiresInMinutes, appName, ...values }) => {
  const { code, codeExpiresInMinutes = expiresInMinutes } = values;
  const link = { action: button('Sign in', url), expiresInMinutes };
  if (code === undefined) {
    const lead = `Open this link to sign in to ${appName}. It works once.`;
    return content({ subject: `Sign in to ${appName}`, lead, ...link });
  }
  return content({
    subject: `${code} is your sign-in code for ${appName}`,
    lead: `Open this link to sign in to ${appName}:`,
    ...link,
    alternative: {
      lead: 'Or enter this code where you asked to sign in:',
      action: largeCode(code),
      expiresInMinutes: codeExpiresInMinutes,
    },
  });
};

export const passwordResetTemplate: LinkTemplate = ({ url, expiresInMinutes, appName }) =>
  content({
    subject: `Choose a new password for ${appName}`,
    lead: `Open this link to choose a new password for ${appName}. It works once.`,
    action: button('Choose a new password', url),
    expiresInMinutes,
  });

export const resetCodeTemplate: ResetCodeTemplate = ({ code, url, expiresInMinutes, appName }) => {
  const subject = `Choose a new password for ${appName}`;
  const enter = `Enter this code in ${appName} to choose a new password:`;
  const ignore = `Don't share this code with anyone. ${defaultIgnore}`;
  if (url === undefined) return codeContent(code, expiresInMinutes, { subject, lead: enter, ignore });
  const link = button('Choose a new password', url);
  const codeText = largeCode(code);
  return content({
    subject,
    lead: `Open this link to choose a new password for ${appName}, or enter the code below it there. They work once.`,
    action: { text: `${link.text}\n\n${codeText.text}`, html: `${link.html}${codeText.html}` },
    expiresInMinutes,
    ignore,
  });
};

export const userInviteTemplate: LinkTemplate = ({ url, expiresInMinutes, appName }) =>
  content({
    subject: `You're invited to ${appName}`,
    lead: `You have been invited to ${appName}. Open this link to set up your account. It works once.`,
    action: button('Accept invitation', url),
    expiresInMinutes,
    ignore: "If you don't want an account, you can ignore this email.",
  });

/** Sent instead of a code or link to an address without an account that may not sign up. */
export const signUpRefusedTemplate: NoticeTemplate = ({ appName }) =>
  content({
    subject: `You can't sign up for ${appName} with this email address`,
    lead: `Someone tried to sign in to ${appName} with this email address. It has no account, and new accounts are not available for it. If you have an account, sign in with its email address.`,
    ignore: "If this wasn't you, you can ignore this email.",
  });

// Names neither the organization nor the inviter: both words are chosen by a user, and the mail goes to a stranger.
export const orgInviteTemplate: OrgInviteTemplate = ({ url, expiresInMinutes, appName }) =>
  content({
    subject: `You're invited to an organization on ${appName}`,
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
  /** The code to enter or the link to open, and how long it is valid. A notice has neither. */
  action?: Action;
  expiresInMinutes?: number;
  /** A code that can be entered instead of opening the link. Using one of them ends both. */
  alternative?: { lead: string; action: Action; expiresInMinutes: number };
  ignore?: string;
}

interface Action {
  text: string;
  html: string;
}

function content({ subject, ignore = defaultIgnore, ...parts }: Parts): EmailContent {
  const { lead, action, alternative } = parts;
  const small = `${expiry(parts)}${ignore}`;
  const lines = [lead, action?.text, alternative?.lead, alternative?.action.text, small];
  const other = alternative ? `${paragraph(alternative.lead)}${alternative.action.html}` : '';
  return {
    subject,
    text: `${lines.filter((line) => line !== undefined).join('\n\n')}\n`,
    html:
      `<!doctype html><html lang="en"><body style="${style.body}"><div style="${style.card}">` +
      `${paragraph(lead)}${action?.html ?? ''}${other}` +
      `<p style="${style.small}">${escapeHtml(small)}</p></div></body></html>`,
  };
}

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`;
}

function expiry({ expiresInMinutes, alternative }: Omit<Parts, 'subject'>): string {
  if (expiresInMinutes === undefined) return '';
  if (!alternative) return `It expires in ${duration(expiresInMinutes)}. `;
  const [link, code] = [duration(expiresInMinutes), duration(alternative.expiresInMinutes)];
  const both =
    link === code ? `Both expire in ${link}` : `The link expires in ${link} and the code in ${code}`;
  return `${both}. You need only one of them. `;
}

const defaultIgnore = "If you didn't request this, you can ignore this email.";

function codeContent(code: string, expiresInMinutes: number, parts: Parts): EmailContent {
  return content({ ...parts, action: largeCode(code), expiresInMinutes });
}

function largeCode(code: string): Action {
  return { text: code, html: `<p style="${style.code}">${escapeHtml(code)}</p>` };
}

function duration(minutes: number): string {
  const [amount, unit] = minutes >= 2 * 1440 ? [Math.round(minutes / 1440), 'day'] : [minutes, 'minute'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

function button(label: string, url: string): Action {
  return {
    text: url,
    html: `<p style="margin:24px 0"><a href="${escapeHtml(url)}" style="${style.button}">${escapeHtml(label)}</a></p>`,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
