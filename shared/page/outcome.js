(function () {
  var outcome = document.getElementById("outcome").dataset, next = document.getElementById("next");
  if (window.parent !== window) {
    window.parent.postMessage({type: "cashwrap:3ds", checkout_id: outcome.checkoutId, status: outcome.status}, "*");
  } else if (next) {
    location.replace(next.href);
  }
})();
