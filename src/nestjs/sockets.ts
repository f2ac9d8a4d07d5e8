/** The sessions of sockets: checked when one is opened, and as long as it is open. */
import { Inject, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { ServiceUser } from '../domain/user.js';
import type { Service } from '../engine/service.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { parseOptions } from '../core/support/input.js';
import { internals } from '../core/internals.js';
import { inRequest } from '../http/acting-request.js';
import { errorBody, statusOf } from '../http/error-handler.js';
import { asError } from '../http/require-session.js';
import { parseFlag } from '../http/session-requirements.js';
import { checkFor } from './checks.js';
import { handshakeForLog, handshakeOf, rememberHandshake } from './handshake.js';
import { closeRefused } from './socket-refusals.js';
import { SVC_AUTH } from './tokens.js';

/** A socket of Socket.IO or of `ws`. */
export interface Socket {
  on(event: string, listener: () => void): unknown;
}

export interface SocketOptions {
  /** With false, a socket without a valid session remains open; it has no user. Default true. */
  required?: boolean;
  /**
   * How often the session of an open socket is checked, in milliseconds: a socket whose session has
   * ended is closed. Default one minute; 0 for never.
   */
  recheckMs?: number;
}

const maxTimeoutMs = 2 ** 31 - 1;

/** Inject it into a gateway. */
export class SvcAuthSockets {
  constructor(private readonly service: Service) {}

  /**
   * Checks the session of a socket: that of its cookie, of the header `Authorization: Bearer` or, with
   * Socket.IO, of `auth.token`. Without a valid session, or if a page of another site has opened it,
   * sends the event `exception` and closes the socket. Call it in `handleConnection(client, request)`.
   * @param request the second argument of `handleConnection`; Socket.IO has none.
   * @returns the user, or null without one.
   * @throws InvalidRequestError for invalid options.
   */
  async connect(
    client: Socket,
    request?: Pick<IncomingMessage, 'headers' | 'url' | 'socket'>,
    options: SocketOptions = {},
  ): Promise<ServiceUser | null> {
    const { required = true, recheckMs = 60_000 } = parseOptions(options, ['required', 'recheckMs']);
    parseFlag(required, 'required');
    if (!(recheckMs >= 0 && recheckMs <= maxTimeoutMs))
      throw new InvalidRequestError('recheckMs must be a number of milliseconds, or 0.');
    let req: Request;
    try {
      // Before the first await: a message can come while the session is checked.
      req = rememberHandshake(client, request);
    } catch (error) {
      // Nest ignores what `handleConnection` returns: a rejection would end the process.
      return this.refuse(client, handshakeForLog(client), error);
    }
    // Also before: a socket that is closed in the meantime must not be checked again.
    const watch = new SocketWatch(client, recheckMs, () => this.check(client, req, true));
    const user = await this.check(client, req, required);
    if (user) watch.start();
    return user;
  }

  /** Returns the user of a socket, as `connect` or the last message has found it. */
  userOf(client: Socket): ServiceUser | null {
    return handshakeOf(client).user ?? null;
  }

  private async check(client: Socket, req: Request, required: boolean): Promise<ServiceUser | null> {
    const check = checkFor(this.service, required ? {} : { isPublic: true }, 'SvcAuthSockets.connect()');
    return inRequest(this.service[internals], req, async () => {
      try {
        await check({ kind: 'ws', req, res: undefined });
        return req.user ?? null;
      } catch (error) {
        return this.refuse(client, req, error);
      }
    });
  }

  private refuse(client: Socket, req: Request, error: unknown): ServiceUser | null {
    const refused = asError(error, req, this.service[internals]);
    // A database that cannot be reached ends no session.
    if (req.user && refused.code === 'internal_error') return req.user;
    req.user = undefined;
    closeRefused(client, errorBody(refused), statusOf(refused.code));
    return null;
  }
}

Injectable()(SvcAuthSockets);
Inject(SVC_AUTH)(SvcAuthSockets, undefined, 0);

/** Checks a socket again and again until it is closed. */
class SocketWatch {
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    client: Socket,
    private readonly everyMs: number,
    private readonly check: () => Promise<ServiceUser | null>,
  ) {
    const close = () => {
      this.isClosed = true;
      clearTimeout(this.timer);
    };
    // Of `ws`, and of Socket.IO.
    client.on('close', close);
    client.on('disconnect', close);
  }

  start(): void {
    if (this.everyMs === 0 || this.isClosed) return;
    this.timer = setTimeout(() => {
      this.check()
        .then((user) => {
          if (user) this.start();
        })
        // Closing a socket may throw. Then it is closed.
        .catch(() => undefined);
    }, this.everyMs);
    this.timer.unref();
  }
}
