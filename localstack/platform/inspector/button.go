package inspector

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/page"
)

type buttonResult struct {
	Text   string
	Failed bool
}

func (s *site) lastResult() buttonResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

// pressButton runs a button's action and redirects to the page, which shows the result.
func (s *site) pressButton(w http.ResponseWriter, r *http.Request) {
	do, known := buttons[r.PathValue("button")]
	if !known {
		http.NotFound(w, r)
		return
	}
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	text, err := do(r.Context(), s, r.PostForm)
	now := buttonResult{Text: text}
	if err != nil {
		now = buttonResult{Text: client.ForPeople(err).Error(), Failed: true}
	}
	s.mu.Lock()
	s.said = now
	s.mu.Unlock()
	s.Changed()
	http.Redirect(w, r, "/sandbox", http.StatusSeeOther)
}

// buttons maps the page's buttons to their actions. An action returns a message for the page.
var buttons = map[string]func(context.Context, *site, url.Values) (string, error){
	"advance_clock": func(_ context.Context, s *site, form url.Values) (string, error) {
		d, err := clock.ParseDuration(form.Get("by"))
		if err == nil {
			err = s.Advance(d)
		}
		return "The clock has moved.", err
	},
	"run_payouts": func(ctx context.Context, s *site, _ url.Values) (string, error) { return s.runPayouts(ctx) },
	"pay_voucher": func(ctx context.Context, s *site, form url.Values) (string, error) {
		return "The code is paid.", s.runCommand(ctx, "pay_voucher", form, "merchant_code", "checkout_id")
	},
	"charge_back": func(ctx context.Context, s *site, form url.Values) (string, error) {
		return form.Get("transaction") + " is charged back.",
			s.runCommand(ctx, "charge_back", form, "merchant_code", "transaction")
	},
	"set_reader_offline": func(ctx context.Context, s *site, form url.Values) (string, error) {
		offline := form.Get("offline") == "true"
		err := s.Operator.Operate(ctx, map[string]any{"command": "set_reader_offline", "mode": "test",
			"merchant_code": form.Get("merchant_code"), "reader_id": form.Get("reader_id"), "offline": offline}, nil)
		if offline {
			return "The reader is offline.", err
		}
		return "The reader is online.", err
	},
	"resend_callback": func(ctx context.Context, s *site, form url.Values) (string, error) {
		return form.Get("id") + " is sent again.", s.runCommand(ctx, "replay_callbacks", form, "id")
	},
}

func (s *site) runCommand(ctx context.Context, name string, form url.Values, arguments ...string) error {
	command := map[string]string{"command": name}
	for _, argument := range arguments {
		command[argument] = form.Get(argument)
	}
	return s.Operator.Operate(ctx, command, nil)
}

func (s *site) runPayouts(ctx context.Context) (string, error) {
	all, err := s.Operator.RunNextPayouts(ctx, s.App.Now(), s.Advance)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "There is nothing to pay out: pay a checkout first.", nil
	}
	var lines []string
	for _, p := range all {
		lines = append(lines, fmt.Sprintf("%s %s %s of %s: %s", p.Tenant, p.Total, p.Currency, p.Day, p.Status))
	}
	return "Paid out: " + strings.Join(lines, "; ") + ".", nil
}

// drawPayer renders the next step of a checkout's payer: the issuer's page or a bank's.
func (s *site) drawPayer(r *http.Request) (page.Page, error) {
	t := identity.Tenant{Mode: identity.Test, Merchant: r.PostFormValue("merchant_code")}
	c, err := s.App.Store.Checkout(r.Context(), t, r.PostFormValue("checkout_id"))
	if err != nil {
		return page.Page{}, err
	}
	_, step, err := s.App.Processing.Resume(r.Context(), t, c)
	if err != nil {
		return page.Page{}, err
	}
	var next *checkout.NextStep
	if step != nil {
		next = checkout.NewNextStep(step, c.RedirectURL)
	}
	return plainPage.Draw("Payer", payerBody(next))
}
