package demo

import (
	"net/http"
	"net/url"

	"github.com/cashwrap/cashwrap/localstack/platform/steps"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

const bankAccounts = "/v0.1/me/merchant-profile/bank-accounts"

// openMerchant opens a merchant per run and takes a payment, because a merchant can have only ten bank accounts.
func (s *scenario) openMerchant() {
	command := object{"command": "create_merchant", "name": "Demo " + s.run, "email": s.owner(), "country": "DE",
		"currency": "EUR", "sandbox": true}
	var made struct {
		Code string                     `json:"merchant_code"`
		Key  struct{ Plaintext string } `json:"api_key"`
	}
	s.operate(command, &made)
	s.MerchantCode, s.APIKey = made.Code, made.Key.Plaintext
	s.print.line("← merchant " + made.Code + ", and a key (it is shown once, and not here)")
	s.code = s.sell("lunch", "25.00")
}

type bankAccount struct {
	IBAN    string
	Status  string
	Primary bool
}

// addAccount adds the merchant's bank account, which the bank verifies a little later (contract §7.3).
func (s *scenario) addAccount() {
	var added bankAccount
	body := object{"account_holder_name": "Demo", "iban": sandbox.PaidIBAN, "primary": true}
	s.call("POST", bankAccounts, body, http.StatusCreated, &added)
	want := bankAccount{sandbox.PaidIBAN, "PENDING_VERIFICATION", true}
	s.expect(added == want, "the primary account, which the bank verifies")
	for want.Status = "VERIFIED"; added != want; {
		s.print.line("  The bank takes its time.")
		steps.Pause(s.ctx, sandbox.VerifiedAfter)
		s.call("GET", bankAccounts+"?primary=true", nil, http.StatusOK, &added)
	}
	s.expect(true, "VERIFIED: payouts go to it")
}

func (s *scenario) payOut() {
	command := object{"command": "run_payouts", "merchant_code": s.MerchantCode, "on_demand": true, "id": s.run}
	var done struct {
		Payouts []struct{ Day, Status string }
	}
	s.operate(command, &done)
	s.expect(len(done.Payouts) == 1 && done.Payouts[0].Status == "PAID", "one payout, PAID")
	var records []struct {
		Status          string
		TransactionCode string `json:"transaction_code"`
	}
	day := done.Payouts[0].Day
	path := "/v1.0/merchants/" + s.MerchantCode + "/payouts?" +
		url.Values{"start_date": {day}, "end_date": {day}, "format": {"json"}}.Encode()
	s.call("GET", path, nil, http.StatusOK, &records)
	ok := len(records) == 1 && records[0].Status == "SUCCESSFUL" && records[0].TransactionCode == s.code
	s.expect(ok, "the payment's record in the payout")
}
