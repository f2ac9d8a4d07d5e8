/** Cats without Passport: the controllers stay, and the guard of `svc-auth/nestjs` takes the place of `AuthGuard('jwt')`. */
import 'reflect-metadata';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Module,
  Post,
  Req,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import type { Request } from 'express';
import type { Service } from 'svc-auth';
import { AuthGuard, Public, SVC_AUTH, SvcAuthExceptionFilter, SvcAuthModule } from 'svc-auth/nestjs';
import config, { pool } from './users.config.js';

interface Credentials {
  email: string;
  password: string;
}

@Public()
@Controller('auth')
class AuthController {
  constructor(@Inject(SVC_AUTH) private readonly service: Service) {}

  @Post('register')
  async register(@Body() { email, password }: Credentials) {
    if (await this.service.users.find({ email })) throw new UnauthorizedException('taken');
    const { rows } = await pool.query<{ id: number }>(
      `insert into users (email, password) values ($1, '') returning id`,
      [email],
    );
    await this.service.users.create({ externalId: String(rows[0]?.id), email, password });
    return this.login({ email, password });
  }

  @Post('login')
  @HttpCode(200)
  async login(@Body() { email, password }: Credentials) {
    const { session } = await this.service.emailPassword.login({ email, password }, { startSession: true });
    return { access_token: session?.token };
  }
}

@Controller()
class CatsController {
  @Get('profile')
  profile(@Req() { svcAuth, user }: Request) {
    return { userId: svcAuth?.externalId, email: user?.email };
  }

  @Post('cats')
  async create(@Req() { svcAuth }: Request, @Body() { name }: { name: string }) {
    await pool.query('insert into cats ("ownerId", name) values ($1, $2)', [svcAuth?.externalId, name]);
  }

  @Get('cats')
  async list(@Req() { svcAuth }: Request) {
    const { rows } = await pool.query<{ name: string }>(
      'select name from cats where "ownerId" = $1 order by id',
      [svcAuth?.externalId],
    );
    return rows.map(({ name }) => name);
  }
}

@Module({
  imports: [SvcAuthModule.forRoot({ config })],
  controllers: [AuthController, CatsController],
  providers: [
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_FILTER, useClass: SvcAuthExceptionFilter },
  ],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error'] });
await app.listen(Number(process.env['PORT']), '127.0.0.1');
process.send?.('listening');
process.once('disconnect', () => process.exit());
