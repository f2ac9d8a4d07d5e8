// Why an SMTP server did not take a mail is in the log, in one line and without what the mail contains (docs/operations.md).
import { smtpSender } from 'svc-auth';
import { makeService, type TestService } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';
import { startSmtpReceiver, type SmtpReceiver } from '../support/smtp-receiver.js';

const email = 'ada@example.com';
let smtp: SmtpReceiver;

beforeAll(async () => {
  smtp = await startSmtpReceiver();
});
afterEach(() => {
  smtp.refuse(false);
  smtp.failAfterData(null);
});
afterAll(() => smtp.close());

/** A service, and what its templates have put into the mails: the codes, links and tokens. */
async function make() {
  const contents: string[] = [];
  const mailOf = (text: string) => ({ subject: 'Sign in', html: `<p>${text}</p>`, text });
  const sender = smtpSender(
    { host: '127.0.0.1', port: smtp.port, secure: false },
    { from: 'Acme <no-reply@acme.test>' },
  );
  const test = await makeService({
    providers: {
      emailCode: {
        sender,
        template: ({ code }: { code: string }) => {
          contents.push(code);
          return mailOf(`Your code is ${code}.`);
        },
      },
      magicLink: {
        sender,
        template: ({ url }: { url: string }) => {
          contents.push(url, new URL(url).searchParams.get('token')!);
          return mailOf(`Open ${url} to sign in.`);
        },
      },
    },
  });
  return { ...test, contents };
}

const sends: [string, string, (test: TestService) => Promise<unknown>][] = [
  ['a mail with a code', 'code', ({ service }) => service.emailCode.sendCode({ email })],
  ['a mail with a link', 'link', ({ service }) => service.magicLink.sendLink({ email })],
];

/** Returns the described error of the only line about a failure, after a mail that could not be sent. */
async function loggedBy(send: (test: TestService) => Promise<unknown>) {
  const test = await make();
  expect(await errorOf(() => send(test))).toMatchObject({ code: 'email_send_failed' });
  const lines = test.log.filter(({ level }) => level === 'warn' || level === 'error');
  expect(lines).toMatchObject([{ level: 'warn', message: 'a mail could not be sent' }]);
  const log = JSON.stringify(test.log);
  expect(test.contents.length).toBeGreaterThan(0);
  for (const secret of [email, ...test.contents]) expect(log).not.toContain(secret);
  await test.service.close();
  return lines[0]!.fields as { kind: string; err: { code: string; message: string } };
}

describe.each(sends)('The log line of %s that an SMTP server does not take', (_mail, kind, send) => {
  it('has the answer 550 to the recipient, with the address masked', async () => {
    smtp.refuse(true);
    const { err, kind: logged } = await loggedBy(send);
    expect(logged).toContain(kind);
    expect(err.code).toBe('EENVELOPE');
    expect(err.message).toContain('550 mailbox unavailable: <a***@example.com>');
  });

  it('has the answer 550 to the content, without what it quotes of the mail', async () => {
    smtp.failAfterData('quote');
    const { err } = await loggedBy(send);
    expect(err.code).toBe('EMESSAGE');
    expect(err.message).toContain('550 rejected for <a***@example.com>: ');
    expect(err.message).toContain('[secret]');
  });

  it('names the closed connection if the server hangs up', async () => {
    smtp.failAfterData('hang up');
    const { err } = await loggedBy(send);
    expect(err).toMatchObject({ code: 'ECONNECTION', message: 'Connection closed unexpectedly' });
  });
});
