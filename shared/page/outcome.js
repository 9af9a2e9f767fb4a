(function () {
  var outcome = document.getElementById("outcome").dataset;
  if (window.parent !== window) {
    window.parent.postMessage({type: "cashwrap:3ds", checkout_id: outcome.checkoutId, status: outcome.status}, "*");
  }
})();
