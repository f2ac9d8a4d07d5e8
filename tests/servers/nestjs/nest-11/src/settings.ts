/** Stands for the ConfigService of an application: a provider that the options depend on. */
import { Injectable, Module } from '@nestjs/common';

@Injectable()
export class Settings {
  get(name: 'SECRET'): string {
    return { SECRET: 'a secret of the tests of NestJS, 32 bytes or more' }[name];
  }
}

@Module({ providers: [Settings], exports: [Settings] })
export class SettingsModule {}
