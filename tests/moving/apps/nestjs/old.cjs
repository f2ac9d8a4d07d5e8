/** Cats with NestJS, as its documentation has authentication: passport-local, then a token by passport-jwt. In CommonJS, as Nest compiles. */
require('reflect-metadata');
const bcrypt = require('bcrypt');
const {
  Module,
  Controller,
  Post,
  Get,
  Body,
  Req,
  UseGuards,
  HttpCode,
  UnauthorizedException,
  Inject,
  Injectable,
} = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { JwtModule, JwtService } = require('@nestjs/jwt');
const { AuthGuard, PassportModule, PassportStrategy } = require('@nestjs/passport');
const { ExtractJwt, Strategy: JwtStrategyOfPassport } = require('passport-jwt');
const { Strategy: LocalStrategyOfPassport } = require('passport-local');
const pg = require('pg');

const { DATABASE_URL, JWT_SECRET, PORT } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 5 });

/** What TypeScript writes for decorators. */
const decorate = (Class, decorators, methods = {}, parameters = {}) => {
  for (const [name, list] of Object.entries(methods)) {
    for (const [index, decorator] of Object.entries(parameters[name] ?? {}))
      decorator(Class.prototype, name, Number(index));
    const descriptor = Object.getOwnPropertyDescriptor(Class.prototype, name);
    for (const decorator of list.toReversed()) decorator(Class.prototype, name, descriptor);
  }
  for (const [index, decorator] of Object.entries(
    parameters.constructor === Object ? {} : (parameters.constructor ?? {}),
  ))
    decorator(Class, undefined, Number(index));
  for (const decorator of decorators.toReversed()) decorator(Class);
  return Class;
};

class UsersService {
  async findByEmail(email) {
    const { rows } = await pool.query('select * from users where email = $1', [email]);
    return rows[0];
  }
  async create(email, password) {
    const hash = await bcrypt.hash(password, 10);
    const { rows } = await pool.query(
      'insert into users (email, password) values ($1, $2) on conflict do nothing returning *',
      [email, hash],
    );
    return rows[0];
  }
}
decorate(UsersService, [Injectable()]);

class LocalStrategy extends PassportStrategy(LocalStrategyOfPassport) {
  constructor(users) {
    super({ usernameField: 'email' });
    this.users = users;
  }
  async validate(email, password) {
    const user = await this.users.findByEmail(email);
    if (!user || !(await bcrypt.compare(password, user.password))) throw new UnauthorizedException();
    return { userId: user.id, email };
  }
}
decorate(LocalStrategy, [Injectable()], {}, { constructor: [Inject(UsersService)] });

class JwtStrategy extends PassportStrategy(JwtStrategyOfPassport) {
  constructor() {
    super({ jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: JWT_SECRET });
  }
  validate({ sub, email }) {
    return { userId: sub, email };
  }
}
decorate(JwtStrategy, [Injectable()]);

class AuthController {
  constructor(users, jwt) {
    Object.assign(this, { users, jwt });
  }
  tokenOf({ userId, email }) {
    return { access_token: this.jwt.sign({ sub: userId, email }) };
  }
  async register({ email, password }) {
    const user = await this.users.create(email, password);
    if (!user) throw new UnauthorizedException('taken');
    return this.tokenOf({ userId: user.id, email });
  }
  login(req) {
    return this.tokenOf(req.user);
  }
}
decorate(
  AuthController,
  [Controller('auth')],
  { register: [Post('register')], login: [HttpCode(200), UseGuards(AuthGuard('local')), Post('login')] },
  { constructor: [Inject(UsersService), Inject(JwtService)], register: [Body()], login: [Req()] },
);

class CatsController {
  profile(req) {
    return { userId: req.user.userId, email: req.user.email };
  }
  async create(req, { name }) {
    await pool.query('insert into cats ("ownerId", name) values ($1, $2)', [req.user.userId, name]);
  }
  async list(req) {
    const { rows } = await pool.query('select name from cats where "ownerId" = $1 order by id', [
      req.user.userId,
    ]);
    return rows.map(({ name }) => name);
  }
}
decorate(
  CatsController,
  [Controller(), UseGuards(AuthGuard('jwt'))],
  { profile: [Get('profile')], create: [Post('cats')], list: [Get('cats')] },
  { profile: [Req()], create: [Req(), Body()], list: [Req()] },
);

class AppModule {}
decorate(AppModule, [
  Module({
    imports: [PassportModule, JwtModule.register({ secret: JWT_SECRET, signOptions: { expiresIn: '30d' } })],
    controllers: [AuthController, CatsController],
    providers: [UsersService, LocalStrategy, JwtStrategy],
  }),
]);

async function start() {
  await pool.query(`
    create table if not exists users (id serial primary key, email text unique not null, password text not null);
    create table if not exists cats (id serial primary key, "ownerId" integer not null references users (id), name text not null);
  `);
  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  await app.listen(Number(PORT), '127.0.0.1');
  process.send?.('listening');
  process.once('disconnect', () => process.exit());
}
void start();
