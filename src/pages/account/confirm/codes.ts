/** The second step of signing in again: the code that was mailed or texted, or the link. */
import type { CodeFormat, CodePurpose } from '../../../domain/one-time-code.js';
import { phoneProvider } from '../../../domain/identity.js';
import { html } from '../../../html/html.js';
import { requiredCode } from '../../code-input.js';
import { rememberLinkBrowser } from '../../../http/link-browser.js';
import { keepLink } from '../../flow.js';
import { noteSent } from '../../sent.js';
import type { Next } from '../../page.js';
import { arrive, leave } from '../../sign-in/arrive.js';
import { link } from '../../form.js';
import { codeForm, resendForm } from '../code-form.js';
import { at, defineAccountPage, type AccountForm, type AccountPage, type AccountVisit } from '../page.js';

/** The buttons that send a code or a link. */
export const confirmForms: Readonly<Record<string, AccountForm>> = {
  mail: {
    access: 'no-impersonation',
    async submit(_values, visit) {
      const { context, features, flow, me, req, res, service } = visit;
      if (me.email === null) return { to: at(visit, '/confirm') };
      const purpose = features.code ? 'email_code' : 'magic_link';
      let codeFormat: CodeFormat['codeFormat'];
      if (features.code) ({ codeFormat } = await features.code.sendCode({ email: me.email }, context));
      else if (features.link) {
        const sent = await features.link.sendLink({ email: me.email }, context);
        rememberLinkBrowser(service, req, res, sent);
        keepLink(flow, sent.url);
      }
      visit.keep({ codeFormat });
      noteSent(visit, purpose, me.email);
      return { to: at(visit, features.code ? '/confirm/code' : '/confirm/link') };
    },
  },
  phone: {
    access: 'no-impersonation',
    async submit(_values, visit) {
      const phone = await phoneOf(visit);
      if (phone !== undefined) {
        await visit.offers.phone!.sendCode({ phone }, visit.context);
        noteSent(visit, 'phone_code', phone);
      }
      return { to: at(visit, '/confirm/phone') };
    },
  },
};

const mailCodePage = codePage({
  purpose: 'email_code',
  path: '/confirm/code',
  resend: '/confirm/mail',
  isOffered: () => true,
  target: async ({ features, me }) => (features.code && me.email) ?? undefined,
  async verify(visit, email, code) {
    return arrive(visit, await visit.features.code!.verify({ email, code }, visit.context));
  },
});

const phoneCodePage = codePage({
  purpose: 'phone_code',
  path: '/confirm/phone',
  resend: '/confirm/phone',
  isOffered: ({ phone }) => phone !== null,
  target: phoneOf,
  async verify(visit, phone, code) {
    return arrive(visit, await visit.offers.phone!.verify({ phone, code }, visit.context));
  },
});

const linkPage = defineAccountPage({
  section: 'profile',
  path: '/confirm/link',
  access: 'no-impersonation',
  isOffered: () => true,
  show(visit) {
    const { isRecent, me, templates, texts, words } = visit;
    if (isRecent) return leave(visit);
    const email = html`<strong><bdi>${me.email ?? ''}</bdi></strong>`;
    const { title } = texts.checkEmail;
    const below = html`<div class="below row">
      ${resendForm(visit, at(visit, '/confirm/mail'), ['magic_link', me.email ?? ''])}
      ${link(visit, at(visit, '/confirm'), words.confirm.other)}
    </div>`;
    const view = { title, lead: texts.checkEmail.link(email), form: null, below };
    return { title, frame: 'card', body: templates.accountConfirmSent(visit, view) };
  },
});

interface CodePage extends Pick<AccountPage, 'path' | 'isOffered'> {
  purpose: CodePurpose;
  resend: string;
  /** Returns the address or the number of the account: never one of the request. */
  target: (visit: AccountVisit) => Promise<string | undefined>;
  verify: (visit: AccountVisit, target: string, code: string) => Promise<Next>;
}

function codePage({ path, purpose, resend, isOffered, target, verify }: CodePage): AccountPage {
  const verifyCode: AccountForm = {
    access: 'no-impersonation',
    async submit(values, visit) {
      const to = await target(visit);
      if (to === undefined) return { to: at(visit, '/confirm') };
      return verify(visit, to, requiredCode(values, visit.texts));
    },
  };
  return defineAccountPage({
    section: 'profile',
    path,
    access: 'no-impersonation',
    isOffered,
    async show(visit, attempt) {
      const { flow, isRecent, templates, texts, words } = visit;
      const to = await target(visit);
      if (isRecent) return leave(visit);
      if (to === undefined) return { to: at(visit, '/confirm') };
      const sent = codeForm(visit, {
        attempt,
        hasLetters: purpose === 'email_code' && flow.codeFormat === 'letters',
        action: `${at(visit, path)}/verify`,
        resend: at(visit, resend),
        sent: [purpose, to],
        submit: texts.continue,
        link: link(visit, at(visit, '/confirm'), words.confirm.other),
      });
      const title = words.profile.enterCode;
      const lead = words.confirm.codeSent(html`<strong><bdi>${to}</bdi></strong>`);
      return { title, frame: 'card', body: templates.accountConfirmSent(visit, { title, lead, ...sent }) };
    },
    forms: { verify: verifyCode },
  });
}

async function phoneOf({ me, service }: AccountVisit): Promise<string | undefined> {
  const identities = await service.users.listIdentities(me.id);
  return identities.find(({ provider }) => provider === phoneProvider)?.providerAccountId;
}

export const codePages: readonly AccountPage[] = [mailCodePage, phoneCodePage, linkPage];
