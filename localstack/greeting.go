package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"io"
	"net/url"
	"text/template"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/repository"
	"github.com/cashwrap/cashwrap/shared/app"
)

// The curl lines can be copied into a shell as they are, in this order, any number of times.
//
//go:embed greeting.txt
var greetingText string

var greeting = template.Must(template.New("greeting").Parse(greetingText))

// greet prints the platform's address and how to try the platform. It also prints the platform's time if that is not
// the real time, and live mode's acquirer if there is one.
func greet(out io.Writer, env map[string]string, now platform.Time, live map[string]string) error {
	moved, charges := "", ""
	if live != nil {
		charges = cmp.Or(live["ACQUIRER_URL"], "Stripe's test mode")
	}
	if now.Ahead > 0 {
		moved = now.String()
	}
	authorize := env["BASE_URL"] + "/authorize?" + url.Values{"response_type": {"code"},
		"client_id": {env["OAUTH_CLIENT_ID"]}, "redirect_uri": {env["OAUTH_REDIRECT_URI"]},
		"scope": {env["OAUTH_SCOPE"]}}.Encode()
	payment, err := json.Marshal(client.ByCard(client.Frictionless, now.Now))
	if err != nil {
		return err
	}
	return greeting.Execute(out, map[string]string{
		"OAUTH_USERNAME": env["OAUTH_USERNAME"], "AUTHORIZE": authorize,
		"BASE_URL": env["BASE_URL"], "MERCHANT_CODE": env["MERCHANT_CODE"], "API_KEY": env["API_KEY"],
		"COMMIT":  cmp.Or(repository.Commit(), app.UnknownCommit),
		"PAYMENT": string(payment), "MOVED": moved, "LIVE": charges,
	})
}
