import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { WsAdapter } from '@nestjs/platform-ws';
import type { ServiceConfig } from 'svc-auth';
import { AppModule } from './app.module';
import { authConfig } from './auth';

export async function createApp(config: ServiceConfig): Promise<NestExpressApplication> {
  const logger = ['error', 'warn'] as const;
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config), {
    logger: [...logger],
  });
  app.useWebSocketAdapter(new WsAdapter(app));
  // Closes the service when the process ends.
  app.enableShutdownHooks();
  return app;
}

async function main(): Promise<void> {
  const app = await createApp(authConfig());
  await app.listen(3000);
  console.log('http://localhost:3000');
}

if (require.main === module) void main();
