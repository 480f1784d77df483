import { initializeApp } from "firebase/app";

export const app = initializeApp({
  apiKey: "«google-key|AIzaSy{alnum 33}»",
  authDomain: "orders.firebaseapp.com",
  projectId: "orders",
  messagingSenderId: "1084213907711",
});

const mapbox = new MapboxClient({ accessToken: '«mapbox-token|sk.eyJ1Ijoib3JkZXJzIiwi{alnum 60}.{alnum 22}»' });
const algolia = algoliasearch("B1G2GM9NG0", "«algolia-key|{hex 32}»");
const sentry = { authToken: `«sentry-token|sntrys_eyJpYXQiOjE3{base64 120}_{alnum 43}»` };
const linear = new LinearClient({ apiKey: "«linear-key|lin_api_{alnum 40}»" });
const notion = new Notion({ auth: "«notion-token|ntn_{digits 11}{alnum 35}»" });
const airtable = new Airtable({ apiKey: "«airtable-token|pat{alnum 14}.{hex 64}»" });
const figma = fetch(url, { headers: { "X-Figma-Token": "«figma-token|figd_{alnum 40}»" } });
const shopify = new Shopify({ accessToken: "«shopify-token|shpat_{hex 32}»", shared: "«shopify-token|shpss_{hex 32}»" });
const square = new Square({ token: "«square-token|EAAA{alnum 60}»" });
const telegram = new Bot("«telegram-token|{digits 10}:AA{alnum 33}»");
const slack = new WebClient("«slack-token|xoxb-{digits 12}-{digits 13}-{alnum 24}»");
const slackApp = { appToken: "«slack-token|xapp-1-A{upper 10}-{digits 13}-{hex 64}»" };
const discord = client.login("«discord-token|MT{alnum 22}.{alnum 6}.{alnum 38}»");
const supabase = createClient("https://orders.supabase.co", "«jwt|eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZSIs{alnum 70}.{alnum 43}»");
const dropbox = new Dropbox({ accessToken: "«dropbox-token|sl.{alnum 130}»" });
const contentful = contentfulManagement.createClient({ accessToken: "«contentful-token|CFPAT-{alnum 43}»" });
const password = process.env.PASSWORD ?? "«password|heron-Velvet-52»";
const passphrase: string = "«passphrase|six ducks walk over the old bridge»";
const cookieSecret = ["«secret|{alnum 32}»", "«secret|{alnum 32}»"];
app.use(session({ secret: "«secret|keyboard ferret 41»", resave: false }));
