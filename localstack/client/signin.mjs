// Signs in and gives consent on the platform's pages with Chromium, with and without scripts. Its input comes on
// standard input; it prints what it saw as JSON, with all messages on the console, where a violation of the
// Content-Security-Policy is an error.
import { text } from "node:stream/consumers";
import { chromium } from "playwright-core";

const given = JSON.parse(await text(process.stdin));

const arrived = (url) => url.href.startsWith(given.arrives);

const browser = await chromium.launch({
  executablePath: given.chromium,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-features=HttpsUpgrades", `--host-resolver-rules=${given.hosts}`],
});

async function visit(javaScriptEnabled, colorScheme, width) {
  const context = await browser.newContext({
    javaScriptEnabled, colorScheme, viewport: { width, height: 800 }, locale: given.locale,
  });
  const page = await context.newPage();
  const console = [];
  page.on("console", (m) => console.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => console.push(String(e)));
  const seen = {};
  const look = async (name) => {
    const overflows = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    if (overflows) console.push(`${name} is wider than ${width} px`);
    const alert = page.getByRole("alert");
    seen[name] = {
      title: await page.title(), alert: (await alert.count()) ? await alert.innerText() : "",
    };
    if (given.screenshots) {
      await page.screenshot({ path: `${given.screenshots}/${name}-${colorScheme}-${width}.png`, fullPage: true });
    }
  };
  const button = (name) => page.getByRole("button", { name, exact: true });
  const signIn = async (password) => {
    await page.getByLabel("E-mail or user name").fill(given.username);
    await page.getByLabel("Password").fill(password);
    await button("Sign in").click();
  };
  await page.goto(given.authorize);
  await look("sign-in");
  await signIn(given.wrong);
  await look("wrong");
  await signIn(given.password);
  await look("consent");
  await page.getByLabel("For which merchant?").selectOption(given.merchant);
  await button("Allow").click();
  await page.waitForURL(arrived);
  seen.allowed = page.url();
  await page.goto(given.authorize);
  await button("Deny").click();
  await page.waitForURL(arrived);
  seen.denied = page.url();
  await page.goto(given.authorize);
  await button("Sign in as somebody else").click();
  await look("signed-out");
  const unknown = await page.goto(given.unknown);
  await look("unknown");
  seen.unknown.status = unknown.status();
  await context.close();
  return { seen, console };
}

const visits = [];
for (const [scripts, colours, width] of [[true, "light", 1280], [false, "dark", 360], [false, "light", 360],
  [true, "dark", 1280]]) {
  visits.push(await visit(scripts, colours, width));
}
await browser.close();
console.log(JSON.stringify(visits));
