// Shows the sections of the page as they change. A section is left alone while somebody chooses in it.
const changes = new EventSource("/sandbox/changes");
for (const section of document.querySelectorAll("[data-section]")) {
  changes.addEventListener(section.dataset.section, ({ data }) => {
    const within = section.contains(document.activeElement);
    if (within && document.activeElement.tagName === "SELECT") {
      return;
    }
    const label = within ? document.activeElement.getAttribute("aria-label") : null;
    section.innerHTML = data;
    if (label) {
      section.querySelector(`[aria-label="${CSS.escape(label)}"]`)?.focus();
    }
  });
}
addEventListener("pagehide", () => changes.close());
