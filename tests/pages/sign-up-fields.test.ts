// The application's own fields in the forms of a sign-up: `signUp.fields`.
// cspell:ignore Geben Namen Unternehmen compny lable vollen
import { ConfigError } from 'svc-auth';
import { createPages, html, input, attempted, type PagesOptions } from 'svc-auth/pages';
import * as z from 'zod';
import { mount } from '../support/account-pages.js';
import { fullSiteOpener } from '../support/full-site.js';
import { pageVisitor } from '../support/page-visitor.js';

const openSite = fullSiteOpener();
const password = 'correct horse battery staple';

const fields = z.object({
  company: z.string().min(2).max(100).meta({ title: 'Company', description: 'As on your invoices.' }),
  seats: z.number().int().min(1).optional(),
  plan: z.enum(['team', 'business']),
  about: z.string().max(500).optional(),
  workEmail: z.email('Enter an address of your company.').optional(),
  newsletter: z.boolean().default(false),
  terms: z.literal(true),
});

const shown: PagesOptions['signUpFields'] = {
  company: {
    label: { en: 'Company name', de: 'Firma' },
    error: { en: 'Enter the full name.', de: 'Geben Sie den vollen Namen ein.' },
  },
  terms: { label: html`I accept the <a href="/terms">terms</a>`, order: 1 },
  plan: {
    options: [
      ['business', { en: 'Business', de: 'Unternehmen' }],
      ['team', 'Team'],
    ],
  },
};

const valid = { 'fields.company': 'Ada & Sons', 'fields.plan': 'team', 'fields.terms': 'yes' };

async function openPages(options: Partial<PagesOptions> = {}, signUp: object = { fields }) {
  const site = await openSite({
    service: { signUp },
    after(app, { service }) {
      app.use(
        mount,
        createPages(service, { name: 'Acme', basePath: mount, signUpFields: shown, ...options }),
      );
    },
  });
  return { site, browser: pageVisitor(site) };
}

/** The sentences next to fields, by the name of the field. */
function errorsIn({ text }: { text: string }): Record<string, string> {
  const all = text.matchAll(/<p class="error" id="field-([\w.]+)-error">([^<]*)<\/p>/g);
  return Object.fromEntries([...all].map(([, name = '', sentence = '']) => [name, sentence]));
}

const metadataOf = async ({ site }: Awaited<ReturnType<typeof openPages>>, email: string) =>
  (await site.adapter.users.findByEmail(email))?.metadata;

describe('a sign-up with a password', () => {
  it('shows the fields of the application, as the schema and the pages describe them', async () => {
    const { browser } = await openPages();
    const { text } = await browser.get(`${mount}/sign-up`);
    expect(text).toMatch(/<label for="field-fields.company"[^>]*>Company name<\/label/);
    expect(text).toContain('As on your invoices.');
    expect(text).toMatch(/name="fields.company"\s+type="text"[^>]*maxlength="100"/);
    expect(text).toMatch(/name="fields.seats"\s+type="number"/);
    expect(text).toMatch(/<select\s+id="field-fields.plan"[^]*value="business"[^]*value="team"/);
    expect(text).toMatch(/<textarea\s+id="field-fields.about"/);
    expect(text).toMatch(/name="fields.workEmail"\s+type="email"/);
    expect(text).toMatch(/name="fields.newsletter"\s+type="checkbox"/);
    expect(text).toContain('I accept the <a href="/terms">terms</a>');
    // The one with an order comes last.
    expect(text.indexOf('fields.terms')).toBeGreaterThan(text.indexOf('fields.newsletter'));
  });

  it('shows them in the language of the page', async () => {
    const { browser } = await openPages();
    const { text } = await browser.get(`${mount}/sign-up`, { 'Accept-Language': 'de' });
    expect(text).toMatch(/>Firma<\/label/);
    expect(text).toContain('Unternehmen');
  });

  it('stores what was entered with the account', async () => {
    const pages = await openPages();
    const { browser, site } = pages;
    const email = site.uniqueEmail();
    await browser.get(`${mount}/sign-up`);
    const signedUp = await browser.submit({ email, password, ...valid, 'fields.seats': '12' });
    expect(signedUp.status).toBe(303);
    expect(await metadataOf(pages, email)).toEqual({
      company: 'Ada & Sons',
      plan: 'team',
      seats: 12,
      newsletter: false,
      terms: true,
    });
  });

  it('marks everything that is missing at once', async () => {
    const { browser } = await openPages();
    await browser.get(`${mount}/sign-up`);
    const refused = await browser.submit({});
    expect(refused.status).toBe(422);
    expect(errorsIn(refused)).toEqual({
      email: 'Enter your email address.',
      password: 'Enter your password.',
      'fields.company': 'Fill in this field.',
      'fields.plan': 'Choose an option.',
      'fields.terms': 'Check this box to continue.',
    });
  });

  it('says next to every field what the schema refuses, and keeps what was typed', async () => {
    const { browser, site } = await openPages();
    const email = site.uniqueEmail();
    await browser.get(`${mount}/sign-up`);
    const wrong = {
      'fields.company': 'x',
      'fields.seats': '0',
      'fields.workEmail': 'ada',
      'fields.about': 'Hi',
    };
    const refused = await browser.submit({ email, password, ...valid, ...wrong });
    expect(refused.status).toBe(422);
    expect(errorsIn(refused)).toEqual({
      'fields.company': 'Enter the full name.',
      'fields.seats': 'Enter 1 or more.',
      'fields.workEmail': 'Enter an address of your company.',
    });
    expect(refused.text).toContain(`value="${email}"`);
    expect(refused.text).toMatch(/name="fields.terms"\s+type="checkbox"\s+value="yes"\s+checked/);
    expect(refused.text).toMatch(/value="team" selected/);
    expect(refused.text).toContain('>\nHi</textarea>');
    expect(refused.text).not.toContain(password);
    expect(await site.adapter.users.findByEmail(email)).toBeNull();
  });

  it('keeps the fields of a private sign-up until its code arrives', async () => {
    const pages = await openPages({}, { fields, revealExisting: false });
    const { browser, site } = pages;
    const email = site.uniqueEmail();
    await browser.get(`${mount}/sign-up`);
    const sent = await browser.submit({ email, password, ...valid });
    expect(sent.location).toBe(`${mount}/sign-up/code`);
    await browser.follow();
    await site.settle();
    expect((await browser.submit({ code: site.mail.lastCode(email) ?? '' })).status).toBe(303);
    expect(await metadataOf(pages, email)).toMatchObject({ company: 'Ada & Sons', terms: true });
  });
});

describe('the slot signUp', () => {
  it('renders the fields with markup of the application', async () => {
    const pages = await openPages({
      signUpFields: undefined,
      slots: {
        signUp: ({ attempt, language }) =>
          html`<p>${language}</p>
            ${input({ ...attempted(attempt, 'fields.company'), label: 'Firm' })}
            ${input({ ...attempted(attempt, 'fields.plan'), label: 'Plan' })}
            <input type="hidden" name="fields.terms" value="yes" />`,
      },
    });
    const { browser, site } = pages;
    const email = site.uniqueEmail();
    const { text } = await browser.get(`${mount}/sign-up`);
    expect(text).toContain('Firm');
    expect(text).not.toContain('fields.newsletter');
    const refused = await browser.submit({ email, password, 'fields.company': 'Ada', 'fields.plan': 'x' });
    expect(errorsIn(refused)).toEqual({ 'fields.plan': 'This can’t be used. Check it and try again.' });
    expect(refused.text).toContain('value="Ada"');
    expect((await browser.submit({ password, 'fields.plan': 'team' })).status).toBe(303);
    expect(await metadataOf(pages, email)).toMatchObject({ company: 'Ada', plan: 'team' });
  });
});

describe('a schema that does not describe itself', () => {
  const own = {
    '~standard': {
      version: 1,
      vendor: 'acme',
      validate: (value: { company?: string; terms?: boolean }) =>
        value.company === 'Ada' && value.terms
          ? { value }
          : { issues: [{ message: 'We do not know this company.', path: ['company'] }] },
    },
  };

  it('gets its fields from the options of the pages', async () => {
    const described = { company: { label: 'Company' }, terms: { label: 'Terms', type: 'checkbox' } } as const;
    const pages = await openPages({ signUpFields: described }, { fields: own });
    const { browser, site } = pages;
    const email = site.uniqueEmail();
    await browser.get(`${mount}/sign-up`);
    const refused = await browser.submit({ email, password, 'fields.company': 'x', 'fields.terms': 'yes' });
    expect(errorsIn(refused)).toEqual({ 'fields.company': 'We do not know this company.' });
    expect((await browser.submit({ password, 'fields.company': 'Ada' })).status).toBe(303);
    expect(await metadataOf(pages, email)).toEqual({ company: 'Ada', terms: true });
  });

  it('is refused without them', async () => {
    await expect(openPages({ signUpFields: undefined }, { fields: own })).rejects.toThrow(
      'signUpFields }): is required, because the schema of signUp.fields does not describe itself',
    );
  });
});

it.each<[string, Partial<PagesOptions>, object, string]>([
  ['an unknown field', { signUpFields: { compny: {} } }, { fields }, 'did you mean company?'],
  [
    'an unknown property',
    { signUpFields: { company: { lable: 'x' } as object } },
    { fields },
    'did you mean label?',
  ],
  ['fields without a schema', { signUpFields: { company: {} } }, {}, 'set signUp.fields'],
  [
    'a required field that no form can send',
    { signUpFields: {} },
    { fields: z.object({ tags: z.array(z.string()) }) },
    'signUpFields.tags }): cannot be asked for with a form',
  ],
  [
    'a text without a language',
    { signUpFields: { company: { label: { en_US: 'x' } } } },
    { fields },
    'label',
  ],
  [
    'a select without choices',
    { signUpFields: { company: { type: 'select' } } },
    { fields },
    'is required for a select',
  ],
])('createPages refuses %s', async (_what, options, signUp, message) => {
  const opening = openPages(options, signUp);
  await expect(opening).rejects.toThrow(ConfigError);
  await expect(opening).rejects.toThrow(message);
});

describe('a proof that creates an account without its required fields', () => {
  const filled = { ...valid };

  it('asks for them after the code, and creates the account with them', async () => {
    const pages = await openPages();
    const { browser, site } = pages;
    const email = site.uniqueEmail();
    await browser.get(`${mount}/sign-in?next=/notes`);
    await browser.submit({ email });
    await browser.follow();
    await browser.press('/use-code');
    await browser.follow();
    await site.settle();
    const proven = await browser.submit({ code: site.mail.lastCode(email) ?? '' });
    expect(proven.location).toBe(`${mount}/sign-up/complete`);
    expect(await site.adapter.users.findByEmail(email)).toBeNull();
    const step = await browser.follow();
    expect(step.text).toContain('We need a few details to create your account.');
    const refused = await browser.submit({ 'fields.company': 'x' });
    expect(errorsIn(refused)).toEqual({
      'fields.plan': 'Choose an option.',
      'fields.terms': 'Check this box to continue.',
    });
    expect(errorsIn(await browser.submit({ ...filled, 'fields.company': 'x' }))).toEqual({
      'fields.company': 'Enter the full name.',
    });
    const created = await browser.submit(filled);
    expect([created.status, created.location]).toEqual([303, '/notes']);
    expect(await site.adapter.users.findByEmail(email)).toMatchObject({
      emailVerified: true,
      metadata: { company: 'Ada & Sons', plan: 'team', terms: true },
    });
    expect(browser.cookieNames()).not.toContain('svc_sign_up_fields');
  });

  it('creates no account if the browser leaves the page', async () => {
    const { browser, site } = await openPages();
    const email = site.uniqueEmail();
    await browser.get(`${mount}/sign-in`);
    await browser.submit({ email });
    await browser.follow();
    await browser.press('/use-code');
    await browser.follow();
    await site.settle();
    await browser.submit({ code: site.mail.lastCode(email) ?? '' });
    await browser.get(`${mount}/sign-in`);
    expect((await browser.get(`${mount}/account/profile`)).status).toBe(303);
    expect(await site.adapter.users.findByEmail(email)).toBeNull();
  });

  it('leads to the sign-in if the step is too late, and to the sign-up without one', async () => {
    const { browser, site } = await openPages();
    expect((await browser.get(`${mount}/sign-up/complete`)).location).toBe(`${mount}/sign-up`);
    const email = site.uniqueEmail();
    const sent = await site.post('/email-code/send', { email });
    expect(sent.status).toBe(200);
    await site.settle();
    const code = site.mail.lastCode(email);
    const refused = await site.post('/email-code/verify', { email, code });
    browser.adopt(refused.cookies.map(({ name, value }) => `${name}=${value}`).join());
    await browser.get(`${mount}/sign-up/complete`);
    site.clock.advance(31 * 60_000);
    expect((await browser.submit(filled)).location).toBe(`${mount}/sign-in?error=sign_up_expired`);
  });
});
