/** A TCP relay in front of PostgreSQL that fails as networks and poolers do. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface PostgresRelay {
  /** URL of the database through the relay. */
  url: string;
  /** From now on no byte passes in either direction, and no connection is closed: packets are lost. */
  silence: () => void;
  /** Closes the connections that were silenced, as a firewall does sooner or later, and lets new ones pass. */
  recover: () => void;
  /** The number of open connections. */
  connections: () => number;
  close: () => Promise<void>;
}

/** @param drops whether notifications of a channel are lost, while everything else passes. */
export async function startRelay(
  database: string,
  drops: (channel: string) => boolean = () => false,
): Promise<PostgresRelay> {
  const target = new URL(database);
  const pairs = new Set<[Socket, Socket]>();
  let isSilent = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    const filter = notificationFilter(drops);
    client.on('data', (data) => void (isSilent || upstream.write(data)));
    upstream.on('data', (data) => void (isSilent || client.write(filter(data))));
    for (const [socket, other] of [pair, [upstream, client] as const]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (isSilent) return;
        pairs.delete(pair);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(database);
  url.port = String((server.address() as AddressInfo).port);
  const destroyAll = () => {
    for (const sockets of pairs) for (const socket of sockets) socket.destroy();
    pairs.clear();
  };
  return {
    url: url.href,
    silence: () => void (isSilent = true),
    recover() {
      destroyAll();
      isSilent = false;
    },
    connections: () => pairs.size,
    async close() {
      destroyAll();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Removes messages of the type NotificationResponse from what the server sends (PostgreSQL, 53.7). */
function notificationFilter(drops: (channel: string) => boolean): (data: Buffer) => Buffer {
  let rest = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    const kept: Buffer[] = [];
    // A type of one byte, then the length of what follows, including itself.
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const message = rest.subarray(0, 1 + rest.readUInt32BE(1));
      rest = rest.subarray(message.length);
      const isNotification = message[0] === 'A'.charCodeAt(0);
      const channel = isNotification ? message.subarray(9, message.indexOf(0, 9)).toString() : '';
      if (!isNotification || !drops(channel)) kept.push(message);
    }
    return Buffer.concat(kept);
  };
}
