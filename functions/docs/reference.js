// Draws the reference by Redoc, in the colours and the font of the page.
(() => {
  const place = document.getElementById("reference");
  const progress = document.getElementById("progress");
  const style = getComputedStyle(document.body);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const say = (text) => { progress.hidden = false; progress.textContent = text; };
  if (typeof Redoc === "undefined") {
    say("The reference could not be loaded.");
    return;
  }
  progress.hidden = false;

  const [paper, card, ink, faint, line, accent, bad, code, onCode] =
    ["paper", "card", "ink", "faint", "line", "accent", "bad", "code", "on-code"].map(colour);
  const [get, post, put, remove] = ["#1b6e3c", "#1d5fae", "#8a5300", "#b3261e"]; // under white letters
  const response = (color) => ({ color, backgroundColor: paper, tabTextColor: onCode });
  const monospace = 'ui-monospace, "Liberation Mono", monospace';
  const theme = {
    spacing: { sectionHorizontal: 40, sectionVertical: 28 },
    breakpoints: { small: "50rem", medium: "64rem", large: "75rem" },
    colors: {
      primary: { main: accent }, success: { main: accent }, error: { main: bad }, warning: { main: bad },
      gray: { 50: paper, 100: paper },
      border: { light: line, dark: line },
      text: { primary: ink, secondary: faint },
      responses: { success: response(accent), error: response(bad), redirect: response(ink), info: response(ink) },
      http: { get, post, put, patch: put, delete: remove, head: get, options: put, basic: put, link: put },
    },
    schema: {
      linesColor: line, typeNameColor: faint, typeTitleColor: faint, requireLabelColor: bad, nestedBackground: paper,
      arrow: { color: faint },
    },
    typography: {
      fontSize: "16px", lineHeight: "1.5", fontFamily: style.fontFamily, fontWeightBold: "600",
      headings: { fontFamily: style.fontFamily, fontWeight: "600", lineHeight: "1.3" },
      code: { fontSize: "14px", fontFamily: monospace, color: ink, backgroundColor: paper, wrap: true },
      links: { color: accent, visited: accent, hover: accent },
    },
    sidebar: { width: "17rem", backgroundColor: card, textColor: ink, activeTextColor: accent, arrow: { color: faint } },
    rightPanel: { backgroundColor: code, textColor: onCode },
    codeBlock: { backgroundColor: code },
    fab: { backgroundColor: accent, color: colour("on-accent") },
  };
  Redoc.init(place.dataset.document, {
    nonce: document.querySelector("script[nonce]").nonce, theme,
    disableSearch: true, hideDownloadButtons: true, nativeScrollbars: true, hideLoading: true,
    sortRequiredPropsFirst: true, payloadSampleIdx: 1, jsonSamplesExpandLevel: 3, hideSchemaPattern: true,
  }, place, (error) => {
    if (error) say("The reference could not be drawn.");
  });
  // The colours are those of the time at which it was drawn.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => location.reload());
})();
