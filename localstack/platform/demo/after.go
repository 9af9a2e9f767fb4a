package demo

import (
	"encoding/json"
	"net/http"
	"net/url"
)

type transaction struct {
	ID              string
	TransactionCode string `json:"transaction_code"`
	SimpleStatus    string `json:"simple_status"`
	Links           []struct {
		Rel       string
		MaxAmount json.Number `json:"max_amount"`
	}
}

func (s *scenario) showHistory() {
	var page struct {
		Items []struct{ Type, Status string }
		Links []struct{ Rel, Href string }
	}
	path := "/v2.1/merchants/" + s.MerchantCode + "/transactions/history?"
	query := url.Values{"limit": {"2"}, "order": {"descending"}, "statuses[]": {"SUCCESSFUL"}}.Encode()
	s.call("GET", path+query, nil, http.StatusOK, &page)
	ok := len(page.Items) == 2 && len(page.Links) == 1 && page.Links[0].Rel == "next"
	s.expect(ok, "two payments, and a link to more")
	s.call("GET", path+page.Links[0].Href, nil, http.StatusOK, &page)
	s.expect(len(page.Items) > 0 && page.Items[0].Status == "SUCCESSFUL", "the next page")
}

func (s *scenario) refund() {
	s.call("POST", "/v0.1/me/refund/"+s.code, object{"amount": json.Number("4.00")}, http.StatusNoContent, nil)
	var t transaction
	path := "/v2.1/merchants/" + s.MerchantCode + "/transactions?transaction_code=" + s.code
	s.call("GET", path, nil, http.StatusOK, &t)
	ok := t.SimpleStatus == "REFUNDED" && len(t.Links) == 1 && t.Links[0].Rel == "refund" && t.Links[0].MaxAmount == "6.10"
	s.expect(ok, "REFUNDED, of which 6.10 is left to refund")
}

func (s *scenario) showReceipt() {
	var r struct {
		Transaction struct {
			Amount    string
			ReceiptNo string `json:"receipt_no"`
			Events    []struct{ Type, Status, Amount string }
		} `json:"transaction_data"`
	}
	s.call("GET", "/v1.1/receipts/"+s.code+"?mid="+s.MerchantCode, nil, http.StatusOK, &r)
	refunded := false
	for _, e := range r.Transaction.Events {
		refunded = refunded || e.Type == "REFUND" && e.Status == "REFUNDED" && e.Amount == "4.00"
	}
	s.expect(r.Transaction.Amount == "10.10" && r.Transaction.ReceiptNo != "" && refunded,
		"a numbered receipt that shows the refund")
}
