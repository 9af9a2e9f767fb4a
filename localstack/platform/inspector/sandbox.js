// Shows the sections of the page as they change, while the page is looked at. What has the focus keeps it.
let changes;
const known = (e) => e.getAttribute("aria-label") ?? e.getAttribute("href");
const show = (section, html) => {
  const focused = section.contains(document.activeElement) ? known(document.activeElement) : null;
  section.innerHTML = html;
  if (focused !== null) {
    [...section.querySelectorAll("a, button")].find((e) => known(e) === focused)?.focus();
  }
};
const follow = () => {
  changes?.close();
  changes = null;
  if (document.visibilityState === "hidden") {
    return; // a browser has few connections to one host
  }
  changes = new EventSource("/sandbox/changes");
  for (const section of document.querySelectorAll("[data-section]")) {
    changes.addEventListener(section.dataset.section, ({ data }) => show(section, data));
  }
};
document.addEventListener("visibilitychange", follow);
addEventListener("pagehide", () => changes?.close());
addEventListener("pageshow", follow);
