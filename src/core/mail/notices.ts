/** Mails users a notice of a change of their account, with the time, the device and the place of the change. */
import { readUserAgent } from '../../domain/device-name.js';
import { hasUnverifiedAddress, type StoredUser } from '../../domain/user.js';
import type { BackgroundWork } from '../queues/background-work.js';
import type { RequestContext } from '../sessions/request-context.js';
import type { Clock } from '../support/clock.js';
import type { FindPlace } from '../support/locations.js';
import type { Mailer, MailOptions } from './mailer.js';
import { phrase } from './mail-phrases.js';
import type { NotMeLinks } from './not-me-links.js';
import type { AccountEvent, EventTemplate, TemplateValues } from './senders/email-sender.js';

interface Tools {
  background: BackgroundWork;
  clock: Clock;
  locate: FindPlace;
  mailer: Mailer;
  notMeLinks: NotMeLinks;
}

/** Whose account was changed, as before the change. */
interface Owner {
  user: StoredUser;
  context?: RequestContext;
}

export class Notices {
  constructor(private readonly tools: Tools) {}

  /**
   * In the background: the change has been made, and must not fail because of a mail.
   * @param work what the log calls it, such as `phone notice`.
   * @param reader the owner of the account, whose `context` is that of the request that has changed the account. Without it, an administrator has.
   */
  send(work: string, to: string, options: MailOptions, template: EventTemplate, reader: Owner): void {
    const { background, clock, locate, mailer, notMeLinks } = this.tools;
    const at = new Date(clock());
    background.start(
      work,
      async () => {
        // An unproven address may be a stranger's, who must not learn where the user is.
        const context = hasUnverifiedAddress(reader.user) ? undefined : reader.context;
        const place = await locate(context?.ip);
        const notMeUrl = notMeLinks.urlFor(reader.user, to);
        const link = notMeUrl === undefined ? {} : { notMeUrl };
        const render = (values: TemplateValues) =>
          template({ ...values, event: { ...eventIn(values, at, context, place), ...link } });
        await mailer.sendMail('notice', to, options, render, reader);
      },
      reader.context?.ip,
    );
  }
}

function eventIn(
  values: TemplateValues,
  at: Date,
  { userAgent = '' }: RequestContext = {},
  place: string | null,
): AccountEvent {
  const { client, system } = readUserAgent(userAgent);
  const isKnown = client !== undefined && system !== undefined;
  return {
    time: timeIn(values.language, at),
    device: isKnown
      ? values.texts.event.on(phrase(values, client), phrase(values, system))
      : (client ?? system ?? null),
    place,
  };
}

/** In UTC, which the mail names: the time zone of the reader is unknown. */
function timeIn(language: string, at: Date): string {
  return at.toLocaleString(language, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  });
}
