// Adds a button to each block of code that copies it.
(() => {
  if (!navigator.clipboard) return;
  for (const code of document.querySelectorAll("figure.code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.ariaLive = "polite";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.querySelector("code").textContent);
      } catch {
        return; // not allowed here
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    code.querySelector("figcaption").append(button);
  }
})();
