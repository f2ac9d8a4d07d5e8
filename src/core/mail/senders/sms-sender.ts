/** The interface to a service that delivers text messages. */
import type { TemplateValues } from './email-sender.js';

export interface SmsSender {
  send(message: { to: string; body: string }): Promise<void>;
  /** Rejects if the service does not answer, or refuses the credentials. Sends nothing. Called by `service.diagnose()`. */
  verify?(): Promise<void>;
  /** Called by `service.close()`. */
  close?(): Promise<void>;
}

export type SmsTemplate = (values: TemplateValues & { code: string; expiresInMinutes: number }) => string;
