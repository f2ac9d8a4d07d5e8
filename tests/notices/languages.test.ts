// Notices and the pages of their link, in every language.
import { builtInMails } from '../../src/core/mail/texts/built-in.js';
import { notMeWords } from '../../src/core/mail/not-me-words.js';
import { accountNoticeTemplate } from '../../src/core/mail/security-notices.js';
import type { AccountChange } from '../../src/core/mail/senders/email-sender.js';
import { en } from '../../src/core/mail/texts/en.js';
import { plainBrand } from '../support/every-mail.js';

const changes = Object.keys({
  password_added: true,
  password_changed: true,
  password_reset: true,
  password_set: true,
  passkey_added: true,
  passkey_removed: true,
  totp_enabled: true,
  totp_disabled: true,
  totp_app_added: true,
  totp_app_removed: true,
  recovery_codes_replaced: true,
  email_factor_enabled: true,
  email_factor_disabled: true,
  identity_linked: true,
  identity_unlinked: true,
  phone_added: true,
  phone_removed: true,
  username_changed: true,
  address_changed: true,
  address_removed: true,
  api_key_created: true,
  trusted_browser_added: true,
  new_device: true,
} satisfies Record<AccountChange, true>) as AccountChange[];

const named: readonly AccountChange[] = ['identity_linked', 'identity_unlinked'];
const url = 'https://app.test/api/auth/not-me?token=abc';

describe.each(['en', ...builtInMails.keys()].filter((each, at, all) => all.indexOf(each) === at))(
  'A notice in %s',
  (language) => {
    const textsOf = async () => (await builtInMails.get(language)?.()) ?? en;

    it.each(changes)('of %s has a subject of its change, the facts, and the link', async (change) => {
      const texts = await textsOf();
      const event = { time: 'today', device: 'Firefox on Linux', place: 'Hamburg', notMeUrl: url };
      const { notMeUrl: _url, ...withoutLink } = event;
      const values = { appName: 'Acme', brand: plainBrand('Acme'), language, texts };
      const about = named.includes(change) ? 'GitHub' : '+49••••••12';
      const mail = accountNoticeTemplate({ ...values, change, about, event });
      expect(mail.subject).toContain('Acme');
      expect(mail.subject).not.toMatch(/[.!。]$|undefined|[{}]/);
      expect(mail.text.split('\n')[0]).toMatch(/[.。]$/);
      expect(mail.text).toContain(url);
      expect(mail.text).not.toMatch(/!|undefined|[{}]/);
      if (named.includes(change)) expect(mail.subject).toContain('GitHub');
      for (const fact of ['today', 'Firefox on Linux', 'Hamburg']) expect(mail.text).toContain(fact);
      const other = accountNoticeTemplate({ ...values, change, about, event: withoutLink });
      expect(other.text).toContain(texts.notYouContactSupport);
    });

    it('has a different subject for each change', async () => {
      const texts = await textsOf();
      const event = { time: 'today', device: null, place: null };
      const values = { appName: 'Acme', brand: plainBrand('Acme'), language, texts, about: 'GitHub', event };
      const subjects = changes
        .filter((change) => change !== 'address_removed')
        .map((change) => accountNoticeTemplate({ ...values, change }).subject);
      expect(new Set(subjects).size).toBe(subjects.length);
    });

    it('has pages that name the address where it belongs', async () => {
      const texts = await textsOf();
      const email = 'a***@example.com';
      const pages = [
        notMeWords({ language, texts }, 'Acme', { step: 'confirm', email }),
        notMeWords({ language, texts }, 'Acme', { step: 'done', email, next: 'reset' }),
        notMeWords({ language, texts }, 'Acme', { step: 'done', email, next: 'sign_in' }),
        notMeWords({ language, texts }, 'Acme', { step: 'done', email, next: 'address_changed' }),
        notMeWords({ language, texts }, 'Acme', { step: 'ended' }),
      ];
      expect(pages.map((page) => page.email)).toEqual([email, email, null, null, null]);
      for (const { title, lead } of pages) expect(title + lead.join('')).not.toMatch(/!|undefined|\0/);
      expect(new Set(pages.map(({ lead }) => lead.join(' '))).size).toBe(pages.length);
    });
  },
);
