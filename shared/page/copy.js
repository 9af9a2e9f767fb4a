(function () {
  var copy = document.getElementById("copy"), status = document.getElementById("status");
  if (!copy || !navigator.clipboard) return;
  copy.hidden = false;
  copy.addEventListener("click", function () {
    navigator.clipboard.writeText(copy.dataset.text).then(function () { status.textContent = copy.dataset.copied; });
  });
})();
