/** A gateway for each kind of sockets. */
import { UseFilters, UseGuards } from '@nestjs/common';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { IncomingMessage } from 'node:http';
import { UserNotFoundError, type ServiceUser } from 'svc-auth';
import {
  AuthGuard,
  CurrentUser,
  Public,
  Roles,
  SvcAuthExceptionFilter,
  SvcAuthSockets,
  type Socket,
  type SocketOptions,
} from 'svc-auth/nestjs';

export const socketOptions: SocketOptions = {};

@UseGuards(AuthGuard)
@UseFilters(SvcAuthExceptionFilter)
class Messages {
  constructor(private readonly sockets: SvcAuthSockets) {}

  async handleConnection(client: Socket, request?: IncomingMessage): Promise<void> {
    await this.sockets.connect(client, request, socketOptions);
  }

  @SubscribeMessage('whoami')
  whoami(@CurrentUser() user: ServiceUser, @MessageBody() body: unknown) {
    return { event: 'user', data: { email: user.email, body } };
  }

  @Roles('admin')
  @SubscribeMessage('admin')
  admin() {
    return { event: 'admin', data: { ok: true } };
  }

  @Public()
  @SubscribeMessage('open')
  open(@CurrentUser('email') email: string | undefined) {
    return { event: 'open', data: { email: email ?? null } };
  }

  @SubscribeMessage('fails')
  fails() {
    throw new UserNotFoundError();
  }
}

/** Its developer has forgotten to check connections. */
@WebSocketGateway({ path: '/forgotten' })
@UseGuards(AuthGuard)
@UseFilters(SvcAuthExceptionFilter)
export class ForgottenGateway {
  @SubscribeMessage('whoami')
  whoami(@CurrentUser() user: ServiceUser) {
    return { event: 'user', data: user };
  }
}

/** Its developer has forgotten the second argument. */
@WebSocketGateway({ path: '/half' })
export class HalfGateway {
  constructor(private readonly sockets: SvcAuthSockets) {}

  async handleConnection(client: Socket): Promise<void> {
    await this.sockets.connect(client);
  }
}

@WebSocketGateway({ path: '/lobby' })
@UseGuards(AuthGuard)
@UseFilters(SvcAuthExceptionFilter)
export class LobbyGateway {
  constructor(private readonly sockets: SvcAuthSockets) {}

  async handleConnection(client: Socket, request: IncomingMessage): Promise<void> {
    await this.sockets.connect(client, request, { required: false });
  }

  @Public()
  @SubscribeMessage('open')
  open(@CurrentUser('email') email: string | undefined) {
    return { event: 'open', data: { email: email ?? null } };
  }

  @SubscribeMessage('whoami')
  whoami(@CurrentUser() user: ServiceUser) {
    return { event: 'user', data: { email: user.email } };
  }
}

@WebSocketGateway({ path: '/live' })
export class WsGateway extends Messages {
  constructor(sockets: SvcAuthSockets) {
    super(sockets);
  }
}

@WebSocketGateway({ cors: { origin: true, credentials: true } })
export class IoGateway extends Messages {
  constructor(sockets: SvcAuthSockets) {
    super(sockets);
  }
}
