const x = { headers: { 'X-Auth-Token': '«http-header|{hex 40}»', 'Content-Type': 'text/html' } };
request.set('Authorization', 'Token «http-header|{hex 40}»');
headers: { authorization: `token «http-header|{alnum 40}»` }
await login('ada', '«call-argument-plain|Cinnamon.Mesa.3»');
await page.type('input[name=password]', '«call-argument|Flagstone!Ivy»');
cy.get('#password').type('«call-argument-plain|Fjord&Maple7»');
<input name="password" type="password" class="wide" value="«html-value|Puddle*Crane»">
const conn = 'mssql://sa:«url-password|P@ss/Word!9»@db:1433/shop';
const dsn = "app:«dsn-password|Clay#Oven»@tcp(127.0.0.1:3306)/shop";
const keys = { apiKeys: ['«json-array|{alnum 32}»', '«json-array|{alnum 32}»'] };
const opts = { auth: { user: 'bot', pass: '«code-literal|Gable-Heron»' } };
const secret = crypto.createHash('sha256').update('«call-argument-plain|{alnum 24}»');
process.env.SESSION_SECRET = process.env.SESSION_SECRET || '«env-fallback|marble turtle eleven»';
export default { pw: '«code-literal|Snapdragon42»', retries: 3 };
const passwords = { ada: '«map-value|Difference!Engine»' };
const token = localStorage.getItem('token');
const label = t('password');
