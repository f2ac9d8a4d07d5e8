/** People in front of the example: each has a separate browser profile, an address and an inbox. */
import { after, before } from 'node:test';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  type Request,
} from 'playwright-core';
import { startExample, type Example } from './example.js';
import { fill, press, seeNotes } from './hands.js';

export const flags = [
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
}

export interface Message {
  id: number;
  kind: string;
  to: string;
  subject: string;
  code?: string;
  link?: string;
}

let addresses = 0;
/** An address that is unique in this run: limits count by address. */
export const newAddress = (name = 'ada') => `${name}${(addresses += 1)}-${process.pid}@acme.test`;

/**
 * A browser, and the example: the one that the runner started, or one with its own environment.
 * What a page writes to its console as an error, what it throws, and what it sends twice at once fails the test file.
 */
export function world(env?: Record<string, string>) {
  let browser: Browser;
  let own: Example | undefined;
  let origin = process.env['EXAMPLE_ORIGIN'] ?? '';
  const complaints: string[] = [];

  before(async () => {
    if (env || !origin) own = await startExample(env);
    origin = own?.origin ?? origin;
    browser = await chromium.launch({
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: flags,
    });
  });
  after(async () => {
    await browser?.close();
    await own?.stop();
    if (complaints.length > 0) throw new Error(`The pages complained:\n${complaints.join('\n')}`);
  });

  function listenForDoubles(context: BrowserContext): void {
    const sent = new Map<string, number>();
    const what = (request: Request) => `${request.method()} ${request.url()} ${request.postData() ?? ''}`;
    context.on('request', (request) => {
      // A new page may send the same requests again.
      if (request.isNavigationRequest()) sent.clear();
      // Suggestions and the button each request a separate challenge, and so do a page and the one that replaces it.
      if (request.method() === 'GET' || /\/passkeys\/authenticate\/(?:start|autofill)$/.test(request.url()))
        return;
      if (Date.now() - (sent.get(what(request)) ?? 0) < 250) complaints.push(`sent twice: ${what(request)}`);
      sent.set(what(request), Date.now());
    });
    // What was refused may be asked for again, as after the dialog.
    context.on('response', (response) => {
      if (!response.ok()) sent.delete(what(response.request()));
    });
  }

  async function person(name?: string, options: BrowserContextOptions = {}): Promise<Person> {
    const context = await browser.newContext({ baseURL: origin, acceptDownloads: true, ...options });
    context.setDefaultTimeout(20_000);
    context.on('weberror', (error) => complaints.push(String(error.error())));
    context.on('console', (message) => {
      // The browser itself reports answers of 400 and more; they are the errors that forms show.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
        complaints.push(`${message.page()?.url()}: ${message.text()}`);
    });
    listenForDoubles(context);
    return { context, page: await context.newPage(), email: newAddress(name) };
  }

  /** The newest message to an address or number that came after the one with the id `since`. */
  async function message(to: string, since = 0): Promise<Message> {
    for (let round = 0; round < 50; round += 1) {
      const messages = (await (await fetch(`${origin}/inbox.json`)).json()) as Message[];
      const found = messages.find((each) => each.to === to && each.id > since);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`No message came to ${to}.`);
  }

  /** The id of the newest message, for `message`'s `since`. */
  async function lastMessageId(): Promise<number> {
    const [newest] = (await (await fetch(`${origin}/inbox.json`)).json()) as Message[];
    return newest?.id ?? 0;
  }

  /** The first step of a sign-in by email code, or the whole sign-in if the account has no second step. */
  async function enterCode({ page, email }: Person): Promise<void> {
    await page.goto('/sign-in');
    await fill(page, 'Email address', email);
    const since = await lastMessageId();
    await press(page, 'Email me a code');
    await fill(page, 'Code from the email', (await message(email, since)).code!);
    await press(page, 'Sign in');
  }

  /** Signs in by email code, clicking. */
  async function signIn(who: Person): Promise<void> {
    await enterCode(who);
    await seeNotes(who.page);
  }

  return { person, message, lastMessageId, enterCode, signIn, origin: () => origin };
}

/** A passkey device of the browser's own, over the DevTools protocol. */
export async function passkeyDevice({ context, page }: Person, { checksHolder = true } = {}) {
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
