import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import type { ServiceConfig } from 'svc-auth';
import { AuthGuard, SvcAuthExceptionFilter, SvcAuthModule } from 'svc-auth/nestjs';
import { createPages } from 'svc-auth/pages';
import { NotesController } from './notes.controller';
import { NotesGateway } from './notes.gateway';
import { NotesService } from './notes.service';

@Module({})
export class AppModule {
  static with(config: ServiceConfig): DynamicModule {
    const auth = SvcAuthModule.forRoot({
      config,
      mount: [{ router: (service) => createPages(service, { name: 'Notes' }) }],
    });
    return {
      module: AppModule,
      imports: [auth],
      controllers: [NotesController],
      providers: [
        NotesService,
        NotesGateway,
        // Every route requires a session, unless it is public.
        { provide: APP_GUARD, useClass: AuthGuard },
        { provide: APP_FILTER, useClass: SvcAuthExceptionFilter },
      ],
    };
  }
}
