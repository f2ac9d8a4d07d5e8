import { UseFilters, UseGuards } from '@nestjs/common';
import {
  MessageBody,
  SubscribeMessage,
  WebSocketGateway,
  type OnGatewayConnection,
} from '@nestjs/websockets';
import type { IncomingMessage } from 'node:http';
import { AuthGuard, CurrentUser, SvcAuthExceptionFilter, SvcAuthSockets } from 'svc-auth/nestjs';
import type { WebSocket } from 'ws';
import { NotesService } from './notes.service';

@WebSocketGateway({ path: '/live' })
// Guards and filters of the application are not those of gateways.
@UseGuards(AuthGuard)
@UseFilters(SvcAuthExceptionFilter)
export class NotesGateway implements OnGatewayConnection {
  constructor(
    private readonly sockets: SvcAuthSockets,
    private readonly notes: NotesService,
  ) {}

  /** Sends a user the notes that the same user adds elsewhere. */
  async handleConnection(client: WebSocket, request: IncomingMessage): Promise<void> {
    const user = await this.sockets.connect(client, request);
    if (!user) return;
    const added = this.notes.added.subscribe((note) => {
      if (note.owner === user.id) client.send(JSON.stringify({ event: 'note', data: note }));
    });
    client.on('close', () => added.unsubscribe());
  }

  @SubscribeMessage('add')
  add(@CurrentUser('id') userId: string, @MessageBody() text: string): void {
    this.notes.add(userId, text);
  }
}
