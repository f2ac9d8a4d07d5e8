/** A real SMTP server on loopback that keeps what it receives. */
import type { AddressInfo } from 'node:net';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  /** The envelope recipients, to whom it was actually delivered. */
  recipients: string[];
  sender: string;
  mail: ParsedMail;
}

export interface SmtpReceiver {
  port: number;
  received: ReceivedMail[];
  /** Connections that are open now. */
  connections(): number;
  /** Rejects every recipient with 550 while on. */
  refuse(on: boolean): void;
  /** Rejects every mail with 550 and quotes its text, as a filter of contents may, or closes the connection instead of an answer. */
  failAfterData(how: 'quote' | 'hang up' | null): void;
  close(): Promise<void>;
}

export async function startSmtpReceiver(): Promise<SmtpReceiver> {
  const received: ReceivedMail[] = [];
  let refusing = false;
  let failure: 'quote' | 'hang up' | null = null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onRcptTo(address, _session, done) {
      if (!refusing) return done();
      done(Object.assign(new Error(`mailbox unavailable: <${address.address}>`), { responseCode: 550 }));
    },
    onData(stream, session, done) {
      simpleParser(stream).then((mail) => {
        if (failure === 'hang up') {
          for (const connection of server.connections) connection.close();
          return;
        }
        if (failure === 'quote') {
          const quoted = `rejected for <${session.envelope.rcptTo[0]?.address}>: ${mail.text?.replace(/\s+/g, ' ')}`;
          return done(Object.assign(new Error(quoted), { responseCode: 550 }));
        }
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          recipients: rcptTo.map(({ address }) => address),
          sender: mailFrom ? mailFrom.address : '',
          mail,
        });
        done();
      }, done);
    },
  });
  // A client that disconnects is not a failure of the server.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    connections: () => server.connections.size,
    refuse: (on) => void (refusing = on),
    failAfterData: (how) => void (failure = how),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
