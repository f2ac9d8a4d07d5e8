// A template of the application that is wrong: the log names the template and what it lacks, and the visitor gets a page.
import express from 'express';
import { createPages, html, type Templates } from 'svc-auth/pages';
import { templates } from '../../src/pages/templates/index.js';
import { openSite, type Site } from '../support/http-site.js';
import { pageVisitor } from '../support/page-visitor.js';
import { accountPagesOpener, accountPath } from '../support/account-pages.js';

const sites: Site[] = [];
afterEach(async () => {
  await Promise.all(sites.splice(0).map((site) => site.close()));
});

/** Opens the sign-in with templates. Returns the response, and the message of the error in the log. */
async function signInWith(own: Partial<Templates>, path = '/sign-in') {
  const site = await openSite(express, undefined, {
    after: (app, { service }) => void app.use('/app', createPages(service, { name: 'Acme', templates: own })),
  });
  sites.push(site);
  const response = await pageVisitor(site).get(`/app${path}`);
  const errors = site.log.filter(({ level }) => level === 'error');
  return { response, messages: errors.map(({ fields }) => (fields['err'] as { message: string }).message) };
}

describe('A template of the application', () => {
  it.each<[string, Partial<Templates>, string]>([
    [
      'that throws',
      { signIn: (_page, view) => html`${(view as unknown as { a: { b: string } }).a.b}` },
      "The template signIn (sign-in) failed: Cannot read properties of undefined (reading 'b')",
    ],
    [
      'that returns a string',
      { signIn: (() => '<h1>Sign in</h1>') as unknown as Templates['signIn'] },
      'The template signIn (sign-in) must return markup of the tag html that svc-auth/pages exports.',
    ],
    [
      'without its form',
      { signIn: (_page, view) => html`<h1>${view.title}</h1>` },
      'The template signIn (sign-in) lacks the form for /app/sign-in.',
    ],
    [
      'without a field of its form',
      { signIn: (page) => html`<form method="post" action="${page.base}/sign-in"></form>` },
      'The template signIn (sign-in) lacks the field email in the form for /app/sign-in.',
    ],
    [
      'with a form without its token',
      {
        signIn: (page) =>
          html`<form method="post" action="${page.base}/sign-in"><input name="email" /></form>`,
      },
      'The template signIn (sign-in) has a form for /app/sign-in without the field form_token of this page. Write it with form.',
    ],
    [
      'for the document without the files of the package',
      {
        document: (_page, { content }) =>
          html`<!doctype html>
            <html>
              <body>
                ${content}
              </body>
            </html>`,
      },
      'The template document (document) lacks files of its view.',
    ],
    [
      'for the frame without the content',
      { card: () => html`<main id="main"></main>` },
      'The template card (card) lacks content of its view.',
    ],
  ])(
    '%s fails with an error that names it, and the visitor gets the page for errors',
    async (_case, own, message) => {
      const { response, messages } = await signInWith(own);
      expect(messages).toEqual([message]);
      expect(response.status).toBe(500);
      expect(response.text).toContain('<h1>Something went wrong</h1>');
      expect(response.text).toMatch(/<link rel="stylesheet" href="\/app\/assets\//);
    },
  );

  it('for errors shows what has failed, and that of the package is shown if it throws too', async () => {
    const signIn: Templates['signIn'] = () => {
      throw new Error('signIn');
    };
    const own: Templates['error'] = (_page, view) =>
      html`<h1 class="own">${view.title}: ${view.message}</h1>`;
    const broken: Templates['error'] = () => {
      throw new Error('error');
    };
    expect((await signInWith({ signIn, error: own })).response.text).toContain(
      '<h1 class="own">Something went wrong: ',
    );
    const { response, messages } = await signInWith({ signIn, error: broken });
    expect([response.status, messages]).toEqual([500, ['The template signIn (sign-in) failed: signIn']]);
    expect(response.text).toContain('<h1>Something went wrong</h1>');
  });

  it('is checked at its first page of a kind, and not again when it has passed', async () => {
    let rendered = 0;
    const signIn: Templates['signIn'] = (page, view) => {
      rendered += 1;
      return rendered === 2 ? html`<h1>${view.title}</h1>` : templates.signIn(page, view);
    };
    const site = await openSite(express, undefined, {
      after: (app, { service }) =>
        void app.use('/app', createPages(service, { name: 'Acme', templates: { signIn } })),
    });
    sites.push(site);
    const visitor = pageVisitor(site);
    expect((await visitor.get('/app/sign-in')).status).toBe(200);
    expect((await visitor.get('/app/sign-in')).status).toBe(200);
    expect(rendered).toBe(2);
  });

  it('is checked again after an error', async () => {
    let isWrong = true;
    const signIn: Templates['signIn'] = (page, view) =>
      isWrong ? html`<h1>${view.title}</h1>` : templates.signIn(page, view);
    const site = await openSite(express, undefined, {
      after: (app, { service }) =>
        void app.use('/app', createPages(service, { name: 'Acme', templates: { signIn } })),
    });
    sites.push(site);
    const visitor = pageVisitor(site);
    expect((await visitor.get('/app/sign-in')).status).toBe(500);
    expect((await visitor.get('/app/sign-in')).status).toBe(500);
    isWrong = false;
    expect((await visitor.get('/app/sign-in')).status).toBe(200);
  });

  it('may have a form for a route of the application, and another order of its parts', async () => {
    const { response, messages } = await signInWith({
      signIn: (page, view) =>
        html`${templates.signIn(page, view)}
          <form method="post" action="/newsletter"><input name="email" /></form>`,
    });
    expect([response.status, messages]).toEqual([200, []]);
  });
});

describe('A template of the account', () => {
  const openAccount = accountPagesOpener();

  it('with the token of the sign-in pages fails with an error that names the right function', async () => {
    const accountData: Templates['accountData'] = (page) =>
      html`<form method="post" action="${page.base}${page.paths.account}/data/download">
        <input type="hidden" name="form_token" value="${page.flow.formToken}" />
      </form>`;
    const { browser, site } = await openAccount({ pages: { templates: { accountData } } });
    const page = await browser.get(`${accountPath}/data`);
    expect(page.status).toBe(500);
    expect(JSON.stringify(site.log)).toContain('Write it with accountForm or buttonForm.');
  });

  it('that changes one page leaves every other template to the package', async () => {
    const accountDevices: Templates['accountDevices'] = (page, view) =>
      html`<p class="own">${page.words.devices.lead} ${view.devices.map(({ name }) => name)}</p>`;
    const { open } = await openAccount({ pages: { templates: { accountDevices } } });
    expect((await open('/devices')).text).toContain('<p class="own">');
    expect((await open('/data')).text).toContain('/account/data/download');
  });
});
