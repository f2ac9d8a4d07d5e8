/** The interface to a service that delivers text messages. */

export interface SmsSender {
  send(message: { to: string; body: string }): Promise<void>;
  /** Called by `service.close()`. */
  close?(): Promise<void>;
}

export type SmsTemplate = (values: { code: string; expiresInMinutes: number; appName: string }) => string;
