// Notices of a change of an account: when, with which device and from where.
// cspell:ignore Zeitpunkt Gerät auf
import type { RequestContext } from 'svc-auth';
import { makeService, type Overrides } from '../support/make-service.js';

const email = 'ada@example.com';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const now = Date.UTC(2026, 10, 26, 22, 50);

/** Resets a password, and returns the notice of it. */
async function noticeOf(context: RequestContext, overrides: Overrides = {}) {
  const test = await makeService({
    ...overrides,
    providers: { emailPassword: { notifyTemplate: true } },
  });
  const { clock, mail, service } = test;
  clock.set(now);
  await service.emailPassword.signup({ email, password: 'correct horse' });
  await service.emailPassword.requestReset({ email });
  const reset = await mail.next(email);
  const token = new URL(/https:\/\/\S+/.exec(reset.text)![0]).searchParams.get('token')!;
  await service.emailPassword.setPassword({ token, newPassword: 'battery staple' }, context);
  const notice = await mail.next(email);
  await service.close();
  return { notice, log: test.log };
}

describe('the notice of a changed password', () => {
  it('has the time with its zone, the device and the place', async () => {
    const { notice } = await noticeOf(
      { ip: '203.0.113.7', userAgent: firefox },
      { locate: (ip) => (ip === '203.0.113.7' ? 'Berlin, Germany' : null) },
    );
    expect(notice).toMatchObject({
      kind: 'notice',
      subject: 'The password of your Acme account was changed',
    });
    const lines = notice.text.split('\n');
    expect(lines.find((line) => line.startsWith('Time:'))).toMatch(
      /^Time: November 26, 2026\D+10:50.PM UTC$/,
    );
    expect(lines).toContain('Device: Firefox on Linux');
    expect(lines).toContain('Location: Berlin, Germany');
    expect(notice.text).not.toContain('203.0.113.7');
  });

  it('is in the language of the reader, with the words of its devices', async () => {
    const { notice } = await noticeOf({ userAgent: firefox, language: 'de' });
    const lines = notice.text.split('\n');
    expect(lines.find((line) => line.startsWith('Zeitpunkt:'))).toMatch(/26\. November 2026\D+22:50 UTC$/);
    expect(lines).toContain('Gerät: Firefox auf Linux');
  });

  it('leaves out what is unknown', async () => {
    const { notice } = await noticeOf({ userAgent: '<b>Evil</b>\nLocation: here' });
    expect(notice.text).toContain('Time: ');
    expect(notice.text + notice.html).not.toMatch(/Device:|Location:|Evil/);
  });

  it('is mailed without the place if locate fails, which is logged', async () => {
    const { notice, log } = await noticeOf(
      { ip: '203.0.113.7', userAgent: firefox },
      { locate: () => Promise.reject(new Error('no database')) },
    );
    expect(notice.text).toContain('Device: Firefox on Linux');
    expect(notice.text).not.toContain('Location:');
    expect(log.map(({ fields }) => fields['event'])).toContain('locate_failed');
  });
});
