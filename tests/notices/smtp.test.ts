// Notices, received by a real SMTP server.
import { smtpSender } from 'svc-auth';
import { makeService } from '../support/make-service.js';
import { startSmtpReceiver, type SmtpReceiver } from '../support/smtp-receiver.js';

const email = 'ada@example.com';
let smtp: SmtpReceiver;

beforeAll(async () => {
  smtp = await startSmtpReceiver();
});
afterAll(() => smtp.close());

describe('a notice over SMTP', () => {
  it('arrives at the user alone, with its link, and no automatic reply answers it', async () => {
    const sender = smtpSender(
      { host: '127.0.0.1', port: smtp.port, secure: false },
      { from: 'Acme <no-reply@acme.test>' },
    );
    const { mail, service } = await makeService({
      notices: { sender, baseUrl: 'https://app.test/api/auth/not-me' },
      locate: () => 'Hamburg, Germany',
    });
    for (const deviceToken of ['none', 'forged']) {
      await service.emailCode.sendCode({ email });
      const context = { startSession: true, deviceToken, ip: '203.0.113.7' };
      await service.emailCode.verify({ email, code: mail.lastCode(email)! }, context);
    }
    await service.close();
    expect(smtp.received).toHaveLength(1);
    const [{ recipients, mail: received }] = smtp.received as [(typeof smtp.received)[0]];
    expect(recipients).toEqual([email]);
    expect(received.subject).toBe('New sign-in to your Acme account');
    expect(received.headers.get('auto-submitted')).toBe('auto-generated');
    expect(received.text).toContain('Location: Hamburg, Germany');
    expect(received.text).toMatch(/https:\/\/app\.test\/api\/auth\/not-me\?token=[\w.-]+/);
    expect(received.text).not.toContain('203.0.113.7');
  });
});
