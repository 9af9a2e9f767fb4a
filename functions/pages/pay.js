// The payment page works without this script: it adds checks while one types, and pays without leaving the page.
(function () {
  "use strict";
  var pay = document.getElementById("pay"), said = pay.dataset, page = said.page, busy = false;
  var alertBox = document.getElementById("alert"), status = document.getElementById("status");
  var by = function (list, f) { Array.prototype.forEach.call(list, f); };

  // What was entered is kept until it is paid, for when the page is loaded again; card data never is.
  var storage = "pay " + page, kept = {values: {}};
  try { kept = JSON.parse(sessionStorage.getItem(storage)) || kept; } catch (e) { /* not allowed here */ }
  function keep() {
    try { sessionStorage.setItem(storage, JSON.stringify(kept)); } catch (e) { /* not allowed here */ }
  }
  function forget() { try { sessionStorage.removeItem(storage); } catch (e) { /* not allowed here */ } }

  function load() { location.replace(page); }
  // A page that the back button brings back may be out of date.
  addEventListener("pageshow", function (e) { if (e.persisted) location.reload(); });

  function tell(text) { if (status) status.textContent = text; }
  function warn(text) { alertBox.textContent = text; }
  function digits(text) { return text.replace(/\D/g, ""); }

  // ---- Cards

  var amex = "American Express", table = document.querySelector("[data-brands]");
  var ranges = table ? table.dataset.brands.split(",").map(function (r) {
    return r.match(/(\d+)-(\d+) (.*)/).slice(1);
  }) : [];
  function brandOf(number) {
    for (var i = 0; i < ranges.length; i++) {
      var first = number.slice(0, ranges[i][0].length);
      if (first.length === ranges[i][0].length && first >= ranges[i][0] && first <= ranges[i][1]) return ranges[i][2];
    }
    return "";
  }
  function grouped(number, brand) {
    return brand === amex ? [number.slice(0, 4), number.slice(4, 10), number.slice(10)].filter(Boolean).join(" ") :
      (number.match(/.{1,4}/g) || []).join(" ");
  }
  function typedNumber(input) {
    var at = input.selectionStart, before = digits(input.value.slice(0, at)).length, end = at === input.value.length;
    var number = digits(input.value).slice(0, 19), brand = brandOf(number);
    var note = document.getElementById(input.id + "-note");
    input.value = grouped(number, brand);
    if (!end) {
      at = 0;
      for (var seen = 0; seen < before; at++) if (/\d/.test(input.value[at])) seen++;
      input.setSelectionRange(at, at);
    }
    if (note.textContent !== brand) note.textContent = brand;
    var cvv = input.form.elements["card.cvv"];
    if (cvv) cvv.placeholder = brand === amex ? "1234" : "123";
  }
  function luhn(number) {
    for (var sum = 0, i = 0; i < number.length; i++) {
      var n = +number[number.length - 1 - i] * (1 + i % 2);
      sum += n > 9 ? n - 9 : n;
    }
    return sum % 10 === 0;
  }
  var valid = {
    "card.number": function (v) { var n = digits(v); return n.length >= 12 && luhn(n); },
    "card.expiry_month": function (v) { return /^(0?[1-9]|1[0-2])$/.test(v); },
    // The platform's clock decides whether it has passed.
    "card.expiry_year": function (v) { return /^(\d\d|20\d\d)$/.test(v); },
    "card.cvv": function (v) { return /^\d{3,4}$/.test(v); },
    "card.zip_code": function (v) { return /^\d{5}$/.test(v); },
    "personal_details.email": function (v) { return /^[^@\s]+@[^@\s]+$/.test(v); },
    "personal_details.tax_id": function (v) { return digits(v).length === 11; }
  };

  // ---- Fields

  function fields(form) {
    return Array.prototype.filter.call(form.elements, function (f) { return f.dataset.missing; });
  }
  function mark(field, text) {
    document.getElementById(field.id + "-problem").textContent = text;
    if (text) field.setAttribute("aria-invalid", "true"); else field.removeAttribute("aria-invalid");
  }
  function check(field) {
    var value = field.value.trim(), rule = valid[field.name];
    if (!value) return field.required ? field.dataset.missing : "";
    return rule && !rule(value) ? field.dataset.invalid : "";
  }
  function refuse(form, wrong) { // wrong: [field, text]; the first of them gets the focus
    wrong.forEach(function (w) { mark(w[0], w[1]); });
    warn(said.fields);
    fields(form).some(function (f) { return f.getAttribute("aria-invalid") && (f.focus(), true); });
  }
  function body(form) {
    var all = {};
    by(form.elements, function (f) {
      var value = f.name && (f.value || "").trim(), at = all, path = f.name.split("."), last = path.pop();
      if (!value) return; // a group of fields has none
      path.forEach(function (part) { at = at[part] = at[part] || {}; });
      if (f.name === "card.number") value = digits(value);
      if (f.name === "card.expiry_month") value = ("0" + value).slice(-2);
      at[last] = f.name === "installments" ? +value : value;
    });
    return JSON.stringify(all);
  }
  function newKey() { // a UUID of version 4
    var b = crypto.getRandomValues(new Uint8Array(16));
    b[6] = b[6] & 15 | 64; b[8] = b[8] & 63 | 128;
    return Array.prototype.map.call(b, function (n, i) {
      return (i === 4 || i === 6 || i === 8 || i === 10 ? "-" : "") + (n + 256).toString(16).slice(1);
    }).join("");
  }

  // ---- Paying

  function done(form) {
    busy = false;
    tell("");
    by(form.querySelectorAll("button"), function (b) { b.disabled = false; b.textContent = b.dataset.label; });
  }
  function again(form, text) { done(form); warn(text); alertBox.focus(); }
  function wait(seconds) { return seconds < 120 ? Math.ceil(seconds) + " s" : Math.ceil(seconds / 60) + " min"; }

  function answered(form, reply, result) {
    var next = result && result.next_step;
    if (reply.ok && result && result.status === "FAILED") {
      form.elements.attempt_key.value = newKey(); // the next press is another attempt
      again(form, said.declined);
      if (form.elements["card.cvv"]) { form.elements["card.cvv"].value = ""; form.elements["card.cvv"].focus(); }
      return;
    }
    if (reply.ok) {
      if (result && result.status === "PAID") forget();
      tell(said.moment);
      if (next && next.full && !("embedded" in said)) location.assign(next.full); else load();
      return;
    }
    if (reply.status === 400) {
      var wrong = [];
      [].concat(result || []).forEach(function (fault) {
        var field = form.elements[fault.param];
        if (field && field.dataset && field.dataset.missing) {
          wrong.push([field, fault.error_code === "MISSING" ? field.dataset.missing : field.dataset.invalid]);
        }
      });
      done(form);
      if (wrong.length) refuse(form, wrong); else again(form, said.refused);
      return;
    }
    if (reply.status === 429) {
      again(form, said.tooMany.replace("{time}", wait(+reply.headers.get("Retry-After") || 60)));
    } else if (reply.status === 424 || reply.status === 402) {
      form.elements.attempt_key.value = newKey();
      again(form, said.unavailable);
    } else if (reply.status >= 500) {
      again(form, said.offline);
    } else if (result && result.error_code === "checkout_payments_not_allowed") {
      again(form, said.refused);
    } else {
      kept.again = reply.status === 403;
      keep();
      load(); // the session or the checkout has ended, or another attempt runs: the page says which
    }
  }

  function send(form) {
    var late = new AbortController(), timer = setTimeout(function () { late.abort(); }, 60000);
    busy = true;
    warn("");
    tell(said.paying);
    by(form.querySelectorAll("button"), function (b) {
      b.dataset.label = b.textContent;
      b.textContent = said.paying;
      b.disabled = true;
    });
    fetch(form.action, {method: "POST", body: body(form), signal: late.signal, credentials: "same-origin",
      headers: {"Content-Type": "application/json", Accept: "application/json"}}).then(function (reply) {
      return reply.json().catch(function () { return null; }).then(function (result) {
        answered(form, reply, result);
      });
    }).catch(function () { again(form, said.offline); }).then(function () { clearTimeout(timer); });
  }

  by(document.querySelectorAll("form.fields"), function (form) {
    form.noValidate = true;
    fields(form).forEach(function (f) {
      if (!f.value && f.name.indexOf("card.") && kept.values[f.name]) f.value = kept.values[f.name];
      if (f.name === "card.number") typedNumber(f);
    });
    form.addEventListener("input", function (e) {
      var f = e.target;
      if (f.name === "card.number") typedNumber(f);
      if (f.name.indexOf("card.")) { kept.values[f.name] = f.value; keep(); }
      if (f.getAttribute("aria-invalid") && !check(f)) mark(f, "");
    });
    // Only when the payer goes on to another field: what appears while a button is pressed would move it away.
    form.addEventListener("focusout", function (e) {
      var on = e.relatedTarget;
      if (on && on.form === form && on.tagName !== "BUTTON" && e.target.value.trim()) mark(e.target, check(e.target));
    });
    form.addEventListener("submit", function (e) {
      e.preventDefault();
      if (busy) return;
      var wrong = fields(form).map(function (f) {
        mark(f, "");
        return [f, check(f)];
      }).filter(function (w) { return w[1]; });
      if (wrong.length) refuse(form, wrong); else send(form);
    });
  });
  var methods = document.querySelectorAll("details[data-method]");
  by(methods, function (d) {
    if (kept.open && !document.querySelector("[aria-invalid]")) d.open = d.dataset.method === kept.open;
    d.addEventListener("toggle", function () {
      if (!d.open) return;
      by(methods, function (other) { if (other !== d) other.open = false; });
      kept.open = d.dataset.method;
      keep();
    });
  });
  var first = document.querySelector("form.fields [aria-invalid]");
  if (first) first.focus();
  if (kept.again && alertBox && !alertBox.textContent) warn(said.again);
  kept.again = false;

  // ---- While an attempt runs

  // The page leads on at once, but not a payer who comes back, by a link or the back button: nobody could leave it.
  var challenge = document.getElementById("challenge"), arrived = performance.getEntriesByType("navigation")[0];
  var onwards = "forward" in said && (!arrived || arrived.type === "navigate");
  if (!challenge && onwards && !("embedded" in said)) location.assign(document.querySelector("a.button").href);
  if (challenge && (challenge.target === "issuer" || onwards)) {
    challenge.submit();
    if (challenge.target === "issuer") challenge.hidden = true;
  }
  addEventListener("message", function (e) {
    if (e.origin === location.origin && e.data && e.data.type === "cashwrap:3ds") load();
  });
  function look() {
    fetch(page, {redirect: "manual", credentials: "same-origin"}).then(function (reply) {
      return reply.type === "opaqueredirect" ? "" : reply.text();
    }).then(function (text) {
      if (text.indexOf('data-state="' + said.state + '"') < 0) load(); else setTimeout(look, 5000);
    }).catch(function () { setTimeout(look, 5000); });
  }
  if ("looks" in said) setTimeout(look, 5000);
  if (said.state === "paid") forget();
})();
