const express = require('express');

module.exports = {
  port: process.env.PORT || 3000,
  host: process.env.HOST || 'localhost',
  dbPassword: process.env.DB_PASSWORD || "«env-fallback|swordfish-ladder»",
  jwtSecret: process.env.JWT_SECRET ?? '«env-fallback|{alnum 28}»',
  sessionSecret: process.env['SESSION_SECRET'] || `«env-fallback|purple giraffe weekend»`,
  apiKey: (process.env.API_KEY || '«env-fallback|{hex 32}»').trim(),
  logLevel: process.env.LOG_LEVEL || 'info',
};

const token = config.token || process.env.SLACK_TOKEN;
const password = isProduction ? process.env.PASSWORD : '«code-literal|Sprocket4Tuba»';
app.use(session({ secret: '«code-literal|keyboard ocelot»', resave: false }));
app.use(cookieParser("«call-argument|{alnum 24}»"));
const user = { login: 'admin', password: `«backtick-literal|midnightNoodles»` };
if (password === '«comparison|OpenSesame42»') grant();
passport.use(new LocalStrategy({ usernameField: 'email', passwordField: 'password' }, verify));
const pwd = '«pwd-assignment|r4ccoon!Bin»';
let pass = "«pwd-assignment|TulipEngine6»";
jwt.sign({ id: user.id }, '«jwt-sign|{alnum 26}»', { expiresIn: '1h' });
