/**
 * The server that is measured, with real bcrypt, Argon2id and PostgreSQL, and with some routes that leak on purpose. Limits are lifted as
 * far as options allow, so that no request is rejected; what has no option (guesses of a code) is spread over many addresses
 * and clients.
 */
import bcrypt from 'bcrypt';
import express from 'express';
import { pbkdf2Sync, randomUUID, scryptSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  argon2idHasher,
  createAuthRouter,
  createProRouter,
  createService,
  knexAdapter,
  type EmailMessage,
  type EmailSender,
} from 'svc-auth';
import { outbox, smsOutbox, testLicense } from 'svc-auth/testing';

export interface Ready {
  port: number;
  known: string[];
  /** Accounts with an Argon2id hash; the others have bcrypt hashes. */
  argon2id: string[];
  /** Accounts whose hash has a lower cost than the configured one. */
  outdated: string[];
  /** Accounts of Django and of Passlib, which were imported. */
  django: string[];
  scrypt: string[];
  /** People whom only the other system has: `emailPassword.legacy`. */
  elsewhere: string[];
  passwordless: string[];
  knownPhones: string[];
  /** The session of a user whom no case measures. */
  cookie: string;
}

/** How many accounts of each kind: few enough to create quickly, and enough for ten guesses at each. */
const people = 80;
const password = 'correct horse battery';
/** How long a mail takes to send: a route that waits for one is measurably slower. */
const sendingMs = 15;

type Text = Parameters<typeof texts.send>[0];

const unlimited = 1_000_000_000;
const mails = outbox();
const texts = smsOutbox();
const slowly = <Message>(send: (message: Message) => Promise<void>) => ({
  async send(message: Message) {
    await sleep(sendingMs);
    await send(message);
  },
});
const sender: EmailSender = slowly((mail: EmailMessage) => mails.send(mail));
const storage = knexAdapter({
  client: 'pg',
  connection: process.env['TIMING_DATABASE_URL'],
  pool: { min: 4, max: 4 },
});
const rule = { max: unlimited };
const rateLimit = {
  maxPerWindow: unlimited,
  login: { perAddressAndIp: rule, perAddress: rule, perIp: rule },
};
const service = createService({
  // Stays open when the service closes: closing is how a test waits for background work.
  adapter: { ...storage, close: async () => undefined },
  session: { secret: 'a secret of the timing test, 32 bytes or more' },
  ...testLicense(),
  code: { maxAttempts: 100 },
  rateLimit,
  providers: {
    emailCode: { sender },
    magicLink: { sender, baseUrl: 'https://app.test/api/auth/magic-link/verify' },
    emailPassword: { sender, resetUrl: 'https://app.test/reset' },
    phoneOtp: { sender: slowly((text: Text) => texts.send(text)), maxPerCountry: unlimited },
    account: { sender },
    sessions: true,
  },
});

/** Sign-ups that do not reveal accounts, on the same storage. */
const privateService = createService({
  adapter: { ...storage, close: async () => undefined },
  session: { secret: 'a secret of the timing test, 32 bytes or more' },
  rateLimit: { ...rateLimit, signUp: false },
  signUp: { revealExisting: false },
  providers: { emailPassword: { sender } },
});

/** An application that has changed from bcrypt to Argon2id, on the same storage. */
const argon2idService = createService({
  adapter: { ...storage, close: async () => undefined },
  session: { secret: 'a secret of the timing test, 32 bytes or more' },
  rateLimit: { ...rateLimit, signUp: false },
  providers: { emailPassword: { sender, hasher: argon2idHasher() } },
});

const address = (number: number) => `person-${String(number).padStart(6, '0')}@example.com`;
const addresses = (from: number) => Array.from({ length: people }, (_, i) => address(from + i));

/** The users of the other system, by address. */
const elsewhere = new Map(
  addresses(6 * people).map((email) => [
    email,
    { externalId: email, email, emailVerified: true, passwordHash: djangoHash() },
  ]),
);

/** An application that has imported users, and imports the rest when they sign in, on the same storage. */
const importedService = createService({
  adapter: { ...storage, close: async () => undefined },
  session: { secret: 'a secret of the timing test, 32 bytes or more' },
  rateLimit: { ...rateLimit, signUp: false },
  providers: { emailPassword: { sender, legacy: async ({ email = '' }) => elsewhere.get(email) } },
});

async function signUp(email: string, by: Pick<typeof service, 'emailPassword'> = service): Promise<string> {
  await by.emailPassword.signup({ email, password });
  return email;
}

/** Inserts an account from before the cost was raised: cost 8 takes a quarter of the time of cost 10. */
async function insertOutdated(email: string): Promise<string> {
  return insert(email, await bcrypt.hash(password, 8));
}

async function insert(email: string, passwordHash: string): Promise<string> {
  const user = { id: randomUUID(), email, emailVerified: false, metadata: {}, createdAt: new Date() };
  await storage.users.insert({ ...user, passwordHash });
  return email;
}

/** Half as much work as a comparison of bcrypt with cost 10. */
function djangoHash(): string {
  const key = pbkdf2Sync(password, 'salt', 100_000, 32, 'sha256').toString('base64');
  return `pbkdf2_sha256$100000$salt$${key}`;
}

/** Inserts an account as an import does. */
function insertDjango(email: string): Promise<string> {
  return insert(email, `imported:${djangoHash()}`);
}

function insertScrypt(email: string): Promise<string> {
  const key = scryptSync(password, 'salt', 32, { N: 4096, r: 8, p: 1 }).toString('base64url');
  return insert(
    email,
    `imported:$scrypt$ln=12,r=8,p=1$c2FsdA$${key.replaceAll('-', '+').replaceAll('_', '/')}`,
  );
}

async function signInByCode(email: string): Promise<string> {
  await service.emailCode.sendCode({ email });
  await service.emailCode.verify({ email, code: mails.lastCode(email)! });
  return email;
}

async function signInByPhone(phone: string): Promise<string> {
  await service.phoneOtp.sendCode({ phone });
  await service.phoneOtp.verify({ phone, code: texts.lastCode(phone)! });
  return phone;
}

const leaky = express.Router().use(express.json());

interface LoginBody {
  email: string;
  password: string;
}

// A common mistake: an unknown address gets a response without a comparison.
leaky.post('/login', (req, res, next) => {
  const { email, password: typed } = req.body as LoginBody;
  const respond = async () => {
    const user = await storage.users.findByEmail(email);
    if (user?.passwordHash) await bcrypt.compare(typed, user.passwordHash);
    res.status(401).json({ error: 'invalid_credentials' });
  };
  respond().catch(next);
});

// The common one of sign-ups that respond the same: only a new account costs a hash.
leaky.post('/sign-up', (req, res, next) => {
  const { email, password: typed } = req.body as LoginBody;
  const respond = async () => {
    if (!(await storage.users.findByEmail(email))) await bcrypt.hash(typed, 10);
    res.json({ sent: true });
  };
  respond().catch(next);
});

// Another one: the response waits for a mail that only known addresses get.
leaky.post('/request-reset', (req, res, next) => {
  const { email } = req.body as LoginBody;
  const respond = async () => {
    const user = await storage.users.findByEmail(email);
    if (user) await sender.send({ to: email, subject: '', html: '', text: '', kind: 'password_reset' });
    res.json({ sent: true });
  };
  respond().catch(next);
});

async function start(): Promise<Ready> {
  await service.init();
  await argon2idService.init();
  await importedService.init();
  const createAll = <T>(from: number, make: (email: string) => Promise<T>) =>
    Promise.all(addresses(from).map(make));
  const known: string[] = [];
  const argon2id: string[] = [];
  // In batches of ten, since more concurrent hashes are rejected.
  for (let i = 0; i < people; i += 10) {
    const batch = Array.from({ length: 10 }, (_, j) => i + j);
    known.push(...(await Promise.all(batch.map((each) => signUp(address(each))))));
    argon2id.push(
      ...(await Promise.all(batch.map((each) => signUp(address(3 * people + each), argon2idService)))),
    );
  }
  const passwordless = await createAll(people, signInByCode);
  const outdated = await createAll(2 * people, insertOutdated);
  const django = await createAll(4 * people, insertDjango);
  const scrypt = await createAll(5 * people, insertScrypt);
  const knownPhones = await Promise.all(
    Array.from({ length: people }, (_, i) => signInByPhone(`+4915123${String(i).padStart(6, '0')}`)),
  );
  const self = await service.emailPassword.signup(
    { email: 'somebody-else@example.com', password },
    { startSession: true },
  );
  const app = express();
  // Every request names its own client address.
  app.set('trust proxy', true);
  app.use('/api/auth', createAuthRouter(service));
  app.use('/api/auth', createProRouter(service));
  app.use('/private', createAuthRouter(privateService));
  app.use('/argon2id', createAuthRouter(argon2idService));
  app.use('/imported', createAuthRouter(importedService));
  app.use('/leaky', leaky);
  app.post('/settle', (_req, res, next) => {
    mails.clear();
    const services = [service, privateService, argon2idService, importedService];
    Promise.all(services.map((each) => each.close())).then(() => res.json({ settled: true }), next);
  });
  const server = await new Promise<ReturnType<typeof app.listen>>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  const { port } = server.address() as AddressInfo;
  const cookie = `svc_session=${self.session!.token}`;
  const imported = { django, scrypt, elsewhere: [...elsewhere.keys()] };
  return { port, known, argon2id, outdated, ...imported, passwordless, knownPhones, cookie };
}

start().then(
  (ready) => process.send?.(ready),
  (error: Error) => {
    console.error(error);
    process.exit(1);
  },
);
// Without its parent process the server has nothing to do.
process.once('disconnect', () => process.exit());
