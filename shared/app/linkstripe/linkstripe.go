// Package linkstripe links Stripe: programs that import it charge there if LIVE_ACQUIRER is "stripe". It keeps Stripe's
// records in the platform's own table.
package linkstripe

import (
	"encoding/json"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
	"github.com/cashwrap/cashwrap/shared/app"
)

// Name is the value of LIVE_ACQUIRER, and Hosts that of ACQUIRER_HOSTS: Stripe's pages for payers are on these hosts.
const (
	Name  = "stripe"
	Hosts = "*.stripe.com"
)

// Variables returns the environment of functions that charge at Stripe: at the address of a stand-in for its API, or at
// Stripe itself for "".
func Variables(api string, keys app.AcquirerKeys) map[string]string {
	secret, err := json.Marshal(keys)
	if err != nil { // texts can always be encoded
		panic(err)
	}
	return map[string]string{"LIVE_ACQUIRER": Name, "ACQUIRER_SECRET": string(secret), "ACQUIRER_URL": api,
		"ACQUIRER_HOSTS": Hosts}
}

func init() {
	app.LinkAcquirer(Name, func(a *app.App) acquirer.Acquirer { return stripe.New(Config(a)) })
}

// Config returns the configuration of a function's acquirer, with Stripe's usual network.
func Config(a *app.App) stripe.Config {
	db, table := a.Store.Raw()
	return stripe.Config{DB: db, Table: table, Now: a.Now, NoticeNow: a.WallNow, BaseURL: a.AcquirerURL,
		Key:           func() string { return a.AcquirerKeys().Key },
		NoticeSecrets: func() []string { return a.AcquirerKeys().NoticeSecrets },
	}
}
