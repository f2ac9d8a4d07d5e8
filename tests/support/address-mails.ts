/** Services that mail codes for addresses of accounts. */
import { outbox } from 'svc-auth/testing';
import type { proFixtures, ProService } from './make-pro-service.js';
import type { Overrides } from './make-service.js';

export function addressFixtures({ makePro }: Pick<ReturnType<typeof proFixtures>, 'makePro'>) {
  async function makeWithSender(overrides: Overrides = {}): Promise<ProService> {
    const mail = overrides.mail ?? outbox();
    const providers = { account: { sender: mail }, ...overrides.providers };
    return makePro({ ...overrides, mail, providers });
  }
  const mailsTo = ({ mail }: ProService, to: string) => mail.messages.filter((message) => message.to === to);

  return { makeWithSender, mailsTo };
}
