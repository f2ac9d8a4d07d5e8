// Every template that `svc-auth pages eject` writes renders the same markup as the one of the package, on real pages.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { html, type AccountTemplatePage, type TemplatePage, type Templates } from 'svc-auth/pages';
import { templates as builtIn } from '../../src/pages/templates/index.js';
import { accountPagesOpener, accountPath, mount } from '../support/account-pages.js';
import { codeAt } from '../support/authenticator-app.js';
import { runCommandLine } from '../support/command-line.js';

type Name = keyof Templates;
type Render = (page: unknown, view?: unknown) => { text: string };

const openAccount = accountPagesOpener();
const [attempt, title, digits] = [null, 'A "title" & more', 6];

describe('The ejected templates', () => {
  let project: string;
  let ejected: Templates;
  /** The names of the templates that rendered, and the differences. */
  const rendered = new Set<string>();
  const differences: string[] = [];
  /** A page of a signed-out and of a signed-in user, for views that take long to reach. */
  let page: TemplatePage | undefined;
  let accountPage: AccountTemplatePage | undefined;

  function compare(name: Name, ...args: [page: unknown, view?: unknown]): ReturnType<Render> {
    const [own, original] = [ejected[name] as Render, builtIn[name] as Render];
    const markup = own(...args);
    rendered.add(name);
    if (markup.text !== original(...args).text) differences.push(name);
    if (name === 'signIn') page = args[0] as TemplatePage;
    if (name === 'accountProfile') accountPage = args[0] as AccountTemplatePage;
    return markup;
  }

  beforeAll(async () => {
    project = mkdtempSync(path.join(tmpdir(), 'ejected-'));
    // As CommonJS, the templates would load another copy of the package.
    writeFileSync(path.join(project, 'package.json'), '{"type":"module"}');
    await runCommandLine(['pages', 'eject', '--ts'], { folder: project });
    const index = (await import(path.join(project, 'auth-pages/index.ts'))) as { templates: Templates };
    ejected = index.templates;
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('render the same pages as those of the package', async () => {
    const names = Object.keys(builtIn) as Name[];
    expect(Object.keys(ejected).sort()).toEqual([...names].sort());
    const compared = Object.fromEntries(
      names.map((name) => [name, (...args: [unknown, unknown]) => compare(name, ...args)]),
    ) as unknown as Templates;
    const { browser, me, open, site } = await openAccount({ byCode: true, pages: { templates: compared } });
    const { apiKeys, orgs, refresh, sessionsProvider } = site.service;
    const userId = me.user.id as string;
    const device = { name: 'Ada’s "phone"', userAgent: 'Mozilla/5.0 (X11; Linux) Firefox/130.0', ip: '::1' };
    await sessionsProvider.create({ userId, device });
    await refresh.issue({ userId, device });
    await apiKeys.create({ userId, name: '<b>CI</b>', scopes: ['notes:read'] });
    const { org } = await orgs.create({ name: 'Orbit & Co', ownerUserId: userId });
    await apiKeys.create({ orgId: org.id, name: 'Deploy', scopes: ['notes:read'] });
    const invite = {
      orgId: org.id,
      email: 'grace@example.com',
      role: 'member',
      invitedByUserId: userId,
    } as const;
    await orgs.invite(invite);

    for (const section of ['profile', 'security', 'devices', 'tokens', 'organizations', 'data'])
      await open(`/${section}`);
    await open(`/organizations/${org.id}`);
    await open('/profile/username');
    await open('/security/passkeys/add');
    await open('/tokens/new');
    await browser.press('/tokens/new', { name: 'Laptop', days: '90' });
    await open('/security/authenticator');
    const scan = await browser.press('/start');
    const secret = /secret=([A-Z2-7]+)/.exec(scan.text)?.[1] ?? '';
    await browser.press('/authenticator/confirm', { code: codeAt(secret, site.clock.now()), name: 'Pixel' });
    await open('/security');
    site.clock.advance(11 * 60_000);
    await browser.get(`${accountPath}/confirm`);
    await browser.press('/confirm/mail');
    await browser.follow();

    const visitor = browser.newTab();
    visitor.forget();
    for (const each of [
      '/sign-in',
      '/sign-in/phone',
      '/sign-up',
      '/sign-up/passkey',
      '/reset',
      '/reset/sent',
    ])
      await visitor.get(mount + each);
    for (const each of ['/reset?token=unknown', '/join?token=unknown']) await visitor.get(mount + each);
    await visitor.get(`${mount}/sign-in`);
    await visitor.submit({ email: me.user.email as string });
    await visitor.follow();
    for (const method of ['use-link', 'use-code']) {
      await visitor.press(`/${method}`);
      await visitor.follow();
    }

    for (const method of ['totp', 'recovery', 'email', 'passkey'])
      compare('secondStep', page, {
        title,
        attempt,
        method,
        digits,
        account: 'a***@example.com',
        wasSent: true,
        resendIn: 12,
        trustDays: 30,
        otherMethods: ['email'],
      });
    const org2 = {
      organization: 'Orbit',
      role: 'admin',
      email: 'ada@example.com',
      token: 't',
      signInPath: '/sign-in',
      currentEmail: 'grace@example.com',
    };
    for (const step of ['signIn', 'accept', 'change', 'verify'])
      compare('join', page, { title, attempt, ...org2, step });
    const verify = {
      title,
      attempt,
      email: 'ada@example.com',
      digits,
      action: '/verify',
      resend: '/verify/again',
      resendIn: 12,
      addressPath: '/verify/address',
      laterUrl: '/',
      signOut: '/verify/sign-out',
    };
    for (const step of ['code', 'address']) compare('verify', page, { ...verify, step });
    const links = [
      { path: '/sign-in', label: 'Sign in' },
      { path: '/reset', label: 'Reset' },
    ];
    for (const hasButton of [true, false])
      compare('message', page, { title, lead: 'Lead', links, hasButton });
    const widget = html`<div class="widget"></div>`;
    compare('challenge', page, {
      title,
      attempt,
      action: '/sign-up',
      hidden: { email: 'a' },
      hasPassword: true,
      widget,
    });
    for (const step of ['start', 'code'])
      compare('passkeySignUp', page, {
        title,
        attempt,
        step,
        email: null,
        hasEmail: true,
        hasUsernames: true,
        createsPasskey: true,
        fields: [],
        digits,
        resend: step === 'code' ? '/sign-up/passkey/code/again' : null,
        resendIn: 12,
      });
    compare('accountConfirmSent', accountPage, { title, lead: 'Lead', form: null, below: 'Below' });
    const newPassword = { minPasswordLength: 8, estimatorPath: '/estimator.js', username: 'ada@example.com' };
    for (const proof of [{ token: 't' }, { email: 'ada@example.com' }])
      compare('choosePassword', page, {
        title,
        attempt,
        ...newPassword,
        proof,
        resend: 'email' in proof ? '/reset/code/again' : null,
        resendIn: 12,
      });
    compare('completeSignUp', page, { title, attempt, fields: [] });
    for (const isSignedIn of [true, false])
      compare('error', page, { title, message: 'It failed.', isSignedIn });
    for (const user of ['ada@example.com', null]) compare('impersonation', accountPage, { user });
    compare('linkConfirmation', page, { title, email: 'a***@example.com', proof: 'p' });
    compare('notMe', page, { title, lead: 'Lead', submit: 'Sign out', ignore: 'Close', proof: 'p' });
    const asked = {
      id: 'r',
      client: { id: 'c', name: 'Notes', uri: null },
      host: 'notes.test',
      scopes: ['Read'],
    };
    for (const isLocal of [true, false])
      compare('consent', page, {
        ...{ ...asked, title, attempt: null, isLocal, continuesAt: isLocal ? null : 'https://app.test/' },
        user: { id: 'u', email: 'ada@example.com' },
      });
    const { client } = asked;
    for (const step of ['enter', 'decide'] as const)
      compare('device', page, {
        ...{ title, attempt: null, step, code: 'BCDF-GHJK' },
        request: step === 'enter' ? null : { client, scopes: ['Read'] },
        user: step === 'enter' ? null : { id: 'u', email: 'ada@example.com' },
      });
    const app = {
      name: 'Notes',
      createdAt: new Date(0),
      scopes: ['Read', 'Write'],
      removePath: '/account/apps/c/remove',
    };
    compare('accountApps', accountPage, { apps: [] });
    compare('accountApps', accountPage, {
      apps: [
        { ...app, host: 'notes.test', lastUsedAt: new Date(1000) },
        { ...app, host: null, lastUsedAt: null },
      ],
    });
    const listed = { next: '/account/activity?activity=b', first: null };
    compare('accountActivity', accountPage, { notYouPath: null, activity: [], pages: listed });
    const done = { icon: html`<svg></svg>`, title: 'Signed in', at: new Date(1000) };
    compare('accountActivity', accountPage, {
      notYouPath: '/account/devices',
      activity: [
        {
          ...done,
          isWarning: true,
          by: 'By an app',
          attempts: 'Attempts: 2',
          client: null,
          ip: null,
          place: null,
        },
        {
          ...{ ...done, isWarning: false, by: null, attempts: null },
          ...{ client: 'Firefox on Linux', ip: '192.0.2.1', place: 'Hamburg' },
        },
      ],
      pages: listed,
    });
    compare('accountDeleted', accountPage);
    compare('accountNotFound', accountPage);
    compare('accountLeaving', accountPage, { provider: 'Orbit & Co', url: 'https://orbit.test/?a=1&b=2' });
    const changed = { subject: 'Key', lead: 'Lead', note: 'Note', below: 'Below' };
    compare('accountChange', accountPage, {
      ...changed,
      form: { action: '/account/x', submit: 'Go', kind: 'danger' },
    });

    expect(names.filter((name) => !rendered.has(name))).toEqual([]);
    expect(differences).toEqual([]);
  });
});
