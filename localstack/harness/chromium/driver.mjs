// Drives Chromium for tests in Go (chromium.go). Each line of standard input is a command with an id, each line of
// standard output its result or error, in the order in which they end. The program ends with its input.
//
// A session is one visitor: a browser context with cookies of its own. Whatever goes wrong on its pages is collected:
// errors and warnings on the console, exceptions, violations of the Content-Security-Policy, requests that fail and
// answers of 400 and above.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const [executablePath, screenshots] = process.argv.slice(2);
const source = (name) => readFileSync(createRequire(import.meta.url).resolve(name), "utf8");
const axe = source("axe-core/axe.min.js");
const jsqr = source("jsqr/dist/jsQR.js");

const browser = await chromium.launch({
  executablePath,
  // The features replace Playwright's list, by which storage would not be partitioned as it is for people.
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-features=AutofillServerCommunication," +
    "HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,PaintHolding,MediaRouter,OptimizationHints," +
    "NetworkTimeServiceQuerying,AimEnabled,LensOverlay"],
});
const sessions = new Map();
const tabs = new Map();

// In an unmodified page the event has the details that the console's message leaves out.
const reportViolations = () => addEventListener("securitypolicyviolation", (e) =>
  globalThis.reportViolation?.(`${e.effectiveDirective} forbids ${e.blockedURI || e.sourceFile}`));

async function open({ session, options, timeout }) {
  const context = await browser.newContext({ ...options, ignoreHTTPSErrors: true, reducedMotion: "reduce" });
  context.setDefaultTimeout(timeout);
  const opened = { context, options, problems: [] };
  const problem = (page, text) => opened.problems.push({ text, url: page?.url() ?? "" });
  context.on("weberror", (e) => problem(e.page(), `exception: ${e.error()}`));
  context.on("console", (m) => {
    const byStatus = m.text().startsWith("Failed to load resource: the server responded"); // reported below
    if (["error", "warning"].includes(m.type()) && !byStatus) {
      problem(m.page(), `${m.type()}: ${m.text().trim()}`);
    }
  });
  context.on("response", (r) => {
    if (r.status() >= 400) {
      opened.problems.push({ text: `${r.status()} ${r.request().method()}`, url: r.url() });
    }
  });
  context.on("requestfailed", (r) => {
    // A page that is left gives up what it was loading.
    if (r.failure()?.errorText !== "net::ERR_ABORTED") {
      opened.problems.push({ text: `${r.failure()?.errorText} ${r.method()}`, url: r.url() });
    }
  });
  if (options.javaScriptEnabled) {
    await context.exposeBinding("reportViolation", ({ page }, text) => problem(page, `CSP: ${text}`));
    await context.addInitScript(reportViolations);
  }
  sessions.set(session, opened);
}

async function tab({ session, tab: id }) {
  tabs.set(id, { page: await sessions.get(session).context.newPage(), session: sessions.get(session) });
}

async function close({ session }) {
  const { context, problems } = sessions.get(session);
  sessions.delete(session);
  await context.close();
  return problems;
}

// locate finds an element as people do, in a frame within a frame if need be.
function locate(page, { frames, role, name, label, text, css }) {
  const at = (frames ?? []).reduce((outer, frame) => outer.frameLocator(frame), page);
  if (role) {
    return at.getByRole(role, name ? { name, exact: true } : {});
  }
  return label ? at.getByLabel(label, { exact: true }) : text ? at.getByText(text) : at.locator(css);
}

const found = async (frame, part) => {
  await frame.evaluate(axe);
  const { violations } = await frame.evaluate(({ at, except } = {}) => globalThis.axe.run(
    at ? { include: at.map((selector) => [selector]) } : document,
    { iframes: false, resultTypes: ["violations"],
      rules: Object.fromEntries((except ?? []).map((rule) => [rule, { enabled: false }])) }), part);
  return violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map((n) => `axe ${id} (${impact}): ${help}: ${n.target.join(" ")}: ${n.failureSummary}`));
};

// audited are axe's findings on a page and in its frames. Axe needs scripts, so a page without them is copied to one
// that has some.
async function audited(page, { options }, part) {
  if (options.javaScriptEnabled) {
    return (await Promise.all(page.frames().map((frame) => found(frame, part)))).flat();
  }
  const context = await browser.newContext({ ...options, javaScriptEnabled: true });
  const copy = await context.newPage();
  const html = await page.content();
  await copy.setContent(html.replaceAll(/<script>[^]*?<\/script>/g, "").replaceAll(/<\/?noscript>/g, ""));
  const violations = await found(copy.mainFrame());
  await context.close();
  return violations;
}

// clipped are the elements that hide a part of what is in them, which makes no page wider.
const clipped = () => [...document.querySelectorAll("body *")].filter((e) =>
  !["INPUT", "SELECT", "IFRAME"].includes(e.tagName) && e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1 &&
  ["hidden", "clip"].includes(getComputedStyle(e).overflowX)).map((e) => e.outerHTML.slice(0, 80));

async function look({ tab: id, name, part }) {
  const { page, session } = tabs.get(id);
  await page.waitForLoadState("load");
  const width = await page.evaluate(() => document.documentElement.scrollWidth - globalThis.innerWidth);
  const problems = width > 0 ? [`${name} is ${width} px wider than the window`] : [];
  if (!part) {
    problems.push(...(await page.evaluate(clipped)).map((html) => `${name} clips what is in ${html}`));
  }
  // The driver does not see that the browser asks for /favicon.ico then.
  if (await page.locator('link[rel="icon"]').count() === 0) {
    problems.push(`${name} has no icon`);
  }
  problems.push(...await audited(page, session, part));
  session.problems.push(...problems.map((text) => ({ text, url: page.url() })));
  if (screenshots) {
    const { viewport, colorScheme } = session.options;
    await page.screenshot({ path: `${screenshots}/${name}-${colorScheme}-${viewport.width}.png`, fullPage: !part });
  }
}

// scan reads the QR code that an element shows, from a picture of it; "" when its contrast is less than a reader needs
// (ISO/IEC 15415: 70 % for the best grade).
async function scan({ tab: id, element }) {
  const picture = (await locate(tabs.get(id).page, element).screenshot()).toString("base64");
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.evaluate(jsqr);
  const text = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const { width, height } = image;
    const drawing = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
    drawing.drawImage(image, 0, 0);
    const pixels = drawing.getImageData(0, 0, width, height).data;
    const greens = pixels.filter((_, i) => i % 4 === 1);
    const contrast = (greens.reduce((a, b) => Math.max(a, b)) - greens.reduce((a, b) => Math.min(a, b))) / 255;
    return contrast < 0.7 ? "" : globalThis.jsQR(pixels, width, height)?.data ?? "";
  }, picture);
  await context.close();
  return text;
}

const plain = (value) => (["string", "number", "boolean"].includes(typeof value) ? value : null);

const commands = {
  open, tab, close, look, scan,
  page: async ({ tab: id, method, args }) => plain(await tabs.get(id).page[method](...(args ?? []))),
  keyboard: ({ tab: id, method, args }) => tabs.get(id).page.keyboard[method](...args),
  element: async ({ tab: id, element, method, args }) =>
    plain(await locate(tabs.get(id).page, element)[method](...(args ?? []))),
  change: async ({ tab: id, element, script }) => {
    await locate(tabs.get(id).page, element).evaluate((e, code) => { (0, eval)(code)(e); }, script);
  },
  waitURL: ({ tab: id, pattern }) => tabs.get(id).page.waitForURL(new RegExp(pattern)),
  evaluate: ({ tab: id, script }) => tabs.get(id).page.evaluate(script),
  wait: async ({ tab: id, script }) => { await tabs.get(id).page.waitForFunction(script); },
};

// seen is where a visitor is when a command fails.
async function seen({ tab: id }) {
  const { page } = tabs.get(id) ?? {};
  return page ? `${page.url()}: ${await page.locator("body").innerText({ timeout: 1000 }).catch(String)}` : "";
}

const answer = (id, result) => process.stdout.write(`${JSON.stringify({ id, ...result })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, do: name, ...given } = JSON.parse(line);
  Promise.resolve().then(() => commands[name](given)).then(
    (result) => answer(id, { result }),
    async (e) => answer(id, { error: `${e.message ?? e}\n${await seen(given)}` }),
  );
}
await browser.close();
