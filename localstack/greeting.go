package main

import (
	"io"
	"text/template"
	"time"
)

// greeting's curl lines work as they are: each can be copied into a shell, in this order, as often as one likes.
var greeting = template.Must(template.New("greeting").Parse(`
Cashwrap is ready (sandbox: no money moves). Ctrl-C stops it; everything is kept in .local/.

  Base URL   {{.BASE_URL}}
  Merchant   {{.MERCHANT_CODE}}
  API key    {{.API_KEY}}

Create a checkout, pay it with a test card, read it:

CHECKOUT=$(curl -s {{.BASE_URL}}/v0.1/checkouts -H 'Authorization: Bearer {{.API_KEY}}' -H 'Content-Type: application/json' -d '{"checkout_reference":"order-'$(date +%s)'","amount":10.10,"currency":"EUR","merchant_code":"{{.MERCHANT_CODE}}"}' | tee /dev/stderr | sed 's/.*"id":"\([^"]*\)".*/\1/')

curl -s -w '\n' -X PUT {{.BASE_URL}}/v0.1/checkouts/$CHECKOUT -H 'Authorization: Bearer {{.API_KEY}}' -H 'Content-Type: application/json' -d '{"payment_type":"card","card":{"name":"Erika Mustermann","number":"4200000000000091","expiry_month":"12","expiry_year":"{{.EXPIRY_YEAR}}","cvv":"123"}}'

curl -s -w '\n' {{.BASE_URL}}/v0.1/checkouts/$CHECKOUT -H 'Authorization: Bearer {{.API_KEY}}'

`))

// greet prints where the platform is and how to try it.
func greet(out io.Writer, env map[string]string, now time.Time) error {
	return greeting.Execute(out, map[string]string{
		"BASE_URL": env["BASE_URL"], "MERCHANT_CODE": env["MERCHANT_CODE"], "API_KEY": env["API_KEY"],
		"EXPIRY_YEAR": now.AddDate(3, 0, 0).Format("2006"),
	})
}
