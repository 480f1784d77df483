import { createHmac } from 'node:crypto';

const config = {
  secret: process.env.APP_SECRET || '«env-fallback|{hex 24}»',
  password: process.env.MAIL_PASSWORD ?? "«env-fallback|Lemur-Parasol»",
  region: process.env.AWS_REGION || 'eu-west-1',
  redisPassword: get(process.env, 'REDIS_PASSWORD') || '«env-fallback|cactusJamboree»',
};
const apiToken = import.meta.env.VITE_API_TOKEN || "«env-fallback|{alnum 32}»";
const DB_PASS = Deno.env.get("DB_PASS") ?? "«env-fallback|Hammock#31»";
class Client {
  private readonly password: string = '«typed-constant|Quilted-Badger»';
  static API_SECRET = '«typed-constant|{alnum 40}»';
  constructor(private token = '«parameter-default|{alnum 28}»') {}
}
const mailer = nodemailer.createTransport({ auth: { user: 'bot', pass: '«code-literal|Plankton5Drum»' } });
const pool = mysql.createPool({ host: 'db', user: 'root', password: '«code-literal|tangledYarn»', database: 'shop' });
createHmac('sha256', '«call-argument|{alnum 32}»').update(body);
await page.fill('#password', '«call-argument|Windmill-Echo-6»');
const sig = jwt.verify(token, "«jwt-sign|{alnum 30}»");
axios.get(url, { headers: { 'x-api-key': '«http-header|{alnum 36}»', Accept: 'application/json' } });
fetch(url, { headers: { Authorization: `Bearer «bearer-token|{hex 48}»` } });
fetch(url, { headers: { Authorization: 'Token «bearer-token|{hex 40}»' } });
// eslint-disable-next-line
const pw = `«backtick-literal|Slingshot.Pie2»`;
if (input.password == "«comparison|LetMeInside9»") return true;
<input type="password" name="password" placeholder="Password" value="«html-value|Tapioca*Flute»" />
export const passwordLabel = 'Password';
let tokenType = 'access_token';
type Props = { password: string; token?: string };
/* default login: admin
   password: «block-comment|Greenhouse14»  */
