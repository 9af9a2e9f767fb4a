package checker

import (
	"regexp"
	"testing"
)

const receiptPath = "/v1.1/receipts/T1A2B3C4D5?mid=MC1"

func TestCheck_ReceiptFields(t *testing.T) {
	t.Parallel()
	checkRefusals(t, func(t *testing.T) *sample {
		return newSample(t, "GET", receiptPath, 200, "Receipt")
	}, map[string]refusal{
		"money as number":         {`"tip_amount":"0.00"`, `"tip_amount":0`, "/tip_amount"},
		"one decimal":             {`"tip_amount":"0.00"`, `"tip_amount":"0.0"`, "/tip_amount"},
		"no decimals":             {`"tip_amount":"0.00"`, `"tip_amount":"0"`, `schema from "anyOf"`},
		"product, no decimals":    {`"price":"10.10"`, `"price":"10"`, `schema from "anyOf"`},
		"event, no decimals":      {`"amount":"2.50"`, `"amount":"2"`, `schema from "anyOf"`},
		"decimals of no currency": {`"EUR"`, `"CLP"`, `schema from "anyOf"`},
		"rate as text":            {`"vat_rates":[{"gross":10.1`, `"vat_rates":[{"gross":"10.10"`, "/gross"},
		"event id as text":        {`"id":4403102877`, `"id":"4403102877"`, "/id"},
		"quantity as text":        {`"quantity":1`, `"quantity":"1"`, "/quantity"},
		"refund scheduled":        {`"status":"REFUNDED"`, `"status":"SCHEDULED"`, `schema from "anyOf"`},
		"status":                  {`"status":"SUCCESSFUL"`, `"status":"REFUNDED"`, "/status"},
		"lower case":              {`"process_as":"CREDIT"`, `"process_as":"credit"`, "/process_as"},
		"no EMV data":             {`"emv_data":{},`, "", `"emv_data" is missing`},
		"EMV track":               {`"emv_data":{}`, `"emv_data":{"track":"1"}`, `"track" is unsupported`},
		"acquirer's secret":       {`"tid"`, `"token":"x","tid"`, `"token" is unsupported`},
		"card's expiry": {`"last_4_digits"`, `"expiry_year":"2030","last_4_digits"`,
			`"expiry_year" is unsupported`},
		"merchant's address": {`"address_line1"`, `"line_1":"x","address_line1"`, `"line_1" is unsupported`},
		"no locale":          {`"locale":"de-DE",`, "", `"locale" is missing`},
		"offset, not Z": {`"timestamp":"2020-02-29T12:00:00.000Z"`,
			`"timestamp":"2020-02-29T12:00:00.000+00:00"`, "/timestamp"},
	})
}

// TestCheck_ReceiptWithoutDecimals checks a currency without decimals (contract §2.4).
func TestCheck_ReceiptWithoutDecimals(t *testing.T) {
	t.Parallel()
	decimals := regexp.MustCompile(`"([0-9]+)\.[0-9]{2}"`)
	checkRefusals(t, func(t *testing.T) *sample {
		s := newSample(t, "GET", receiptPath+"&tx_event_id=4403102877", 200, "Receipt")
		s.resBody = decimals.ReplaceAllString(s.resBody, `"$1"`)
		s.replace(t, `"EUR"`, `"HUF"`)
		return s
	}, map[string]refusal{
		"decimals":          {`"tip_amount":"0"`, `"tip_amount":"0.00"`, `schema from "anyOf"`},
		"product, decimals": {`"price":"10"`, `"price":"10.00"`, `schema from "anyOf"`},
		"event, decimals":   {`"amount":"2"`, `"amount":"2.00"`, `schema from "anyOf"`},
	})
}

func TestCheck_ReceiptWithoutMerchant(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	for name, query := range map[string]string{
		"no mid":        "",
		"empty mid":     "?mid=",
		"event in text": "?mid=MC1&tx_event_id=one",
		"event below 0": "?mid=MC1&tx_event_id=-1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, newSample(t, "GET", "/v1.1/receipts/T1A2B3C4D5"+query, 200, "Receipt").check(checker), "accepted request")
		})
	}
}
