/** People in front of a site: each has a separate browser profile, an address and an inbox. */
import { after, before } from 'node:test';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  type Request,
} from 'playwright-core';
import type { Texts } from '../../../src/pages/texts/texts.js';
import { textsOf } from './languages.js';
import type { Message, Site } from './site.js';

const flags = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-first-run',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

export interface Person {
  page: Page;
  context: BrowserContext;
  email: string;
  /** The words of the pages in the language of this browser. */
  texts: Texts;
}

export interface PersonOptions extends BrowserContextOptions {
  language?: 'en' | 'ar';
}

let addresses = 0;
/** An address that is unique in this run: limits count by address. */
export const newAddress = (name = 'ada') => `${name}${(addresses += 1)}-${process.pid}@acme.test`;

/** A phone number that is unique in this run. */
export const newNumber = () => `+49151${String(2_000_000 + process.pid * 10 + (addresses += 1)).slice(-7)}`;

/** A browser profile in front of a site. */
export async function newContext(
  browser: Browser,
  { origin }: Pick<Site, 'origin'>,
  { language = 'en', ...options }: PersonOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: origin,
    acceptDownloads: true,
    locale: language === 'en' ? 'en-US' : language,
    // Pictures are compared while nothing moves.
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(Number(process.env['STEP_MS'] ?? 60_000));
  return context;
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: flags,
  });
}

/** The messages of a site, for people who wait for them. */
export function inboxOf(site: () => Site) {
  /** The newest message to an address or number that came after the one with the id `since`. */
  async function message(to: string, since = 0): Promise<Message> {
    for (let round = 0; round < 600; round += 1) {
      const messages = await site().messages();
      const found = messages.find((each) => each.to === to && each.id > since);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`No message came to ${to}.`);
  }

  /** The id of the newest message, for the argument `since` of `message`. */
  async function lastMessageId(): Promise<number> {
    return (await site().messages())[0]?.id ?? 0;
  }

  return { message, lastMessageId };
}

/**
 * A browser and a site, for all tests of a file.
 * What a page writes to its console as an error, what it throws, and what it sends twice at once fails the test file.
 */
export function world<S extends Site>(start: () => Promise<S>) {
  let browser: Browser;
  let site: S | undefined;
  const complaints: string[] = [];

  before(async () => {
    site = await start();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await site?.stop();
    if (complaints.length > 0) throw new Error(`The pages complained:\n${complaints.join('\n')}`);
  });

  function listenForDoubles(context: BrowserContext): void {
    const sent = new Map<string, number>();
    const tabs = new Map<Page, number>();
    const what = (request: Request) => `${request.method()} ${request.url()} ${request.postData() ?? ''}`;
    /** Two tabs may send the same at once. */
    const tabOf = (request: Request) => {
      const page = request.frame().page();
      if (!tabs.has(page)) tabs.set(page, tabs.size);
      return tabs.get(page)!;
    };
    context.on('request', (request) => {
      // A new page may send the same requests again.
      if (request.isNavigationRequest()) sent.clear();
      if (request.method() === 'GET') return;
      const key = `${tabOf(request)} ${what(request)}`;
      if (Date.now() - (sent.get(key) ?? 0) < 250) complaints.push(`sent twice: ${what(request)}`);
      sent.set(key, Date.now());
    });
  }

  async function person(name?: string, { language = 'en', ...options }: PersonOptions = {}): Promise<Person> {
    const context = await newContext(browser, theSite(), { language, ...options });
    context.on('weberror', (error) => complaints.push(String(error.error())));
    context.on('console', (message) => {
      // The browser itself reports answers of 400 and more; they are the errors that forms show.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
        complaints.push(`${message.page()?.url()}: ${message.text()}`);
    });
    listenForDoubles(context);
    return { context, page: await context.newPage(), email: newAddress(name), texts: textsOf[language] };
  }

  function theSite(): S {
    if (!site) throw new Error('The site has not started.');
    return site;
  }

  return { person, ...inboxOf(theSite), site: theSite, origin: () => theSite().origin };
}
export type World = ReturnType<typeof world>;

/** A passkey device of the browser's own, over the DevTools protocol. */
export async function passkeyDevice(
  { context, page }: Pick<Person, 'context' | 'page'>,
  { checksHolder = true } = {},
) {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: checksHolder,
      isUserVerified: checksHolder,
      automaticPresenceSimulation: true,
    },
  });
  const answer = (enabled: boolean) =>
    devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  const credentials = async () =>
    (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  return {
    /**
     * From the next page on, the device no longer answers by itself, which it also does for suggestions in the address field. Its owner
     * touches it as soon as a page asks for a passkey. Chromium drops what it asks while the device does not answer, so the device
     * answers before the page asks.
     */
    async touchOnRequest() {
      await answer(false);
      await page.exposeFunction('touchDevice', () => answer(true));
      await page.addInitScript(() => {
        const { credentials } = navigator;
        const get = credentials.get.bind(credentials);
        credentials.get = async (options) => {
          if (options?.mediation === 'conditional')
            document.documentElement.dataset['suggested'] = 'passkeys';
          else await (window as unknown as { touchDevice(): Promise<void> }).touchDevice();
          return get(options);
        };
      });
    },
    /** Puts a passkey of another device on this one. */
    add: (credential: Awaited<ReturnType<typeof credentials>>[number]) =>
      devtools.send('WebAuthn.addCredential', { authenticatorId, credential }),
    passkeys: credentials,
    remove: () => devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }),
  };
}
